/** The `[cleanup]` section, as far as one event loop needs it. */
export interface CleanupOptions {
  /** Off: everything is done in line. */
  readonly async_enabled: boolean;
  /** Whether a full queue means doing it in line. */
  readonly fallback_to_sync: boolean;
  readonly queue_buffer_size: number;
  readonly batch_size: number;
  readonly batch_timeout_ms: number;
  readonly max_retry_attempts: number;
  /** Queues side by side. */
  readonly workers: number;
}

/** What is told of tasks that could not be done. */
export interface CleanupObserver {
  /** A task failed, or found every queue full too often. */
  lost(error: unknown): void;
}

const BREAKER_FAILURES = 10;
const BREAKER_MS = 30_000;

/**
 * Takes the work after a disconnect off the moment it happens, so that thousands of sockets lost at once do not hold
 * the loop: batches, with a turn of the loop in between. Bounded; a task is done in line when there is no room.
 */
export class CleanupQueue<Task> {
  readonly #queues: Task[][];
  #next = 0;
  #isScheduled = false;
  #running = 0;
  #failures = 0;
  #inLineUntilMs = 0;

  constructor(
    private readonly options: CleanupOptions,
    private readonly work: (task: Task) => Promise<void>,
    private readonly observer: CleanupObserver,
  ) {
    this.#queues = Array.from({ length: options.workers }, () => []);
  }

  /** Tasks that are not done yet. */
  get size(): number {
    return this.#running + this.#queues.reduce((sum, queue) => sum + queue.length, 0);
  }

  add(task: Task): void {
    if (!this.options.async_enabled || performance.now() < this.#inLineUntilMs) return void this.#run(task);
    this.#offer(task, 0);
  }

  /** Does everything that waits, now. Resolves when it is done. */
  async empty(): Promise<void> {
    const tasks = this.#queues.flatMap((queue) => queue.splice(0));
    await Promise.all(tasks.map((task) => this.#run(task)));
  }

  #offer(task: Task, attempt: number): void {
    for (let tried = 0; tried < this.#queues.length; tried += 1) {
      const queue = this.#queues[this.#next] ?? [];
      this.#next = (this.#next + 1) % this.#queues.length;
      if (queue.length >= this.options.queue_buffer_size) continue;
      queue.push(task);
      return this.#schedule();
    }
    if (this.options.fallback_to_sync) return void this.#run(task);
    if (attempt >= this.options.max_retry_attempts)
      return this.observer.lost(new Error('cleanup queues are full'));
    setTimeout(() => this.#offer(task, attempt + 1), this.options.batch_timeout_ms);
  }

  /** The first task of a quiet time is taken at once; after a batch, the next waits until it is full or its time is over. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#batch());
  }

  #batch(): void {
    const { batch_size, batch_timeout_ms } = this.options;
    this.#isScheduled = false;
    for (const queue of this.#queues) {
      for (const task of queue.splice(0, batch_size)) void this.#run(task);
    }
    const longest = Math.max(...this.#queues.map((queue) => queue.length));
    if (longest >= batch_size) this.#schedule();
    else if (longest > 0) this.#linger(batch_timeout_ms);
  }

  #linger(ms: number): void {
    this.#isScheduled = true;
    setTimeout(() => this.#batch(), ms);
  }

  async #run(task: Task): Promise<void> {
    this.#running += 1;
    try {
      await this.work(task);
      this.#failures = 0;
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#running -= 1;
    }
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    if (this.#failures > BREAKER_FAILURES) {
      this.#inLineUntilMs = performance.now() + BREAKER_MS;
      this.#failures = 0;
    }
    this.observer.lost(error);
  }
}
