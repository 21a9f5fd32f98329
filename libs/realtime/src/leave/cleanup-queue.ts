/** The `[cleanup]` settings that apply to one event loop. */
export interface CleanupOptions {
  /** If false, all tasks run synchronously. */
  readonly async_enabled: boolean;
  /** Whether a task runs synchronously if its queue is full. */
  readonly fallback_to_sync: boolean;
  readonly queue_buffer_size: number;
  readonly batch_size: number;
  readonly batch_timeout_ms: number;
  readonly max_retry_attempts: number;
  /** Number of concurrent queues. */
  readonly workers: number;
}

/** Notified of tasks that failed, could not be queued, or run synchronously. */
export interface CleanupObserver {
  /** A task failed, or found its queue full too often. */
  lost(error: unknown): void;
  /** A task found its queue full and runs synchronously. */
  full(): void;
}

const BREAKER_FAILURES = 10;
const BREAKER_MS = 30_000;

/**
 * Defers the cleanup after disconnects, so that thousands of simultaneous disconnects do not block the loop: tasks
 * run in batches, with a turn of the loop in between. Bounded; a task runs synchronously if the queues are full.
 */
export class CleanupQueue<Task> {
  readonly #queues: Task[][];
  /** Tasks that found their queue full and will be retried. */
  readonly #homeless = new Map<NodeJS.Timeout, Task>();
  readonly #running = new Set<Promise<void>>();
  #next = 0;
  #isScheduled = false;
  /** Timer of an incomplete batch. */
  #lingering: NodeJS.Timeout | null = null;
  #failures = 0;
  #inLineUntilMs = 0;

  constructor(
    private readonly options: CleanupOptions,
    private readonly work: (task: Task) => Promise<void>,
    private readonly observer: CleanupObserver,
  ) {
    this.#queues = Array.from({ length: options.workers }, () => []);
  }

  /** Number of unfinished tasks. */
  get size(): number {
    const queued = this.#queues.reduce((sum, queue) => sum + queue.length, 0);
    return queued + this.#homeless.size + this.#running.size;
  }

  add(task: Task): void {
    if (!this.options.async_enabled || performance.now() < this.#inLineUntilMs) this.#start(task);
    else this.#offer(task, 0);
  }

  /** Runs all queued tasks now. Resolves when nothing is left, including tasks that were already running. */
  async empty(): Promise<void> {
    while (this.size > 0) {
      for (const queue of this.#queues) for (const task of queue.splice(0)) this.#start(task);
      for (const [timer, task] of this.#homeless) {
        clearTimeout(timer);
        this.#homeless.delete(timer);
        this.#start(task);
      }
      await Promise.all(this.#running);
    }
  }

  #offer(task: Task, attempt: number): void {
    for (let tried = 0; tried < this.#queues.length; tried += 1) {
      const queue = this.#queues[this.#next] ?? [];
      this.#next = (this.#next + 1) % this.#queues.length;
      if (queue.length >= this.options.queue_buffer_size) continue;
      queue.push(task);
      return this.#schedule(queue.length >= this.options.batch_size);
    }
    if (this.options.fallback_to_sync) {
      this.observer.full();
      return this.#start(task);
    }
    if (attempt >= this.options.max_retry_attempts)
      return this.observer.lost(new Error('cleanup queues are full'));
    const timer = setTimeout(() => {
      this.#homeless.delete(timer);
      this.#offer(task, attempt + 1);
    }, this.options.batch_timeout_ms);
    this.#homeless.set(timer, task);
  }

  /**
   * The first task after an idle period runs immediately; after a batch, the next one waits until it is full or its
   * time is over.
   */
  #schedule(isFull: boolean): void {
    if (isFull && this.#lingering !== null) {
      clearTimeout(this.#lingering);
      this.#lingering = null;
    }
    if (this.#isScheduled || this.#lingering !== null) return;
    this.#isScheduled = true;
    setImmediate(() => this.#batch());
  }

  #batch(): void {
    const { batch_size, batch_timeout_ms } = this.options;
    this.#isScheduled = false;
    this.#lingering = null;
    for (const queue of this.#queues) {
      for (const task of queue.splice(0, batch_size)) this.#start(task);
    }
    const longest = Math.max(...this.#queues.map((queue) => queue.length));
    if (longest >= batch_size) this.#schedule(true);
    else if (longest > 0) this.#lingering = setTimeout(() => this.#batch(), batch_timeout_ms);
  }

  #start(task: Task): void {
    const run = this.#run(task).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #run(task: Task): Promise<void> {
    try {
      await this.work(task);
      this.#failures = 0;
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Only a success resets the failure count, so that after a synchronous period one more failure starts another. */
  #failed(error: unknown): void {
    this.#failures += 1;
    const nowMs = performance.now();
    if (this.#failures > BREAKER_FAILURES && nowMs >= this.#inLineUntilMs)
      this.#inLineUntilMs = nowMs + BREAKER_MS;
    this.observer.lost(error);
  }
}
