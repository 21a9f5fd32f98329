import {
  type Claim,
  type ClaimedJob,
  type DeadLetter,
  type JobEvent,
  type JobStore,
  type Outcome,
  type PreparedJob,
  QueueFull,
  type QueueStats,
  retryDelayMs,
  type RetrySettings,
  type Returned,
  type Settled,
} from '@carillon/queue';

export interface StoredJob extends PreparedJob {
  readonly enqueuedAtMs: number;
  state: 'ready' | 'active' | 'completed' | 'dead';
  readyAtMs: number;
  attempt: number;
  token: string | null;
  leaseUntilMs: number;
  reason: string | null;
  /** Deliveries that were released after they had begun: each allows another attempt. */
  interrupted: number;
}

export interface SimulatedJobStoreOptions extends RetrySettings {
  readonly leaseMs: number;
  readonly maxAttempts: number;
  readonly capacity: number;
  readonly nowMs: () => number;
  /** Told of each delivery. */
  readonly handed: (job: StoredJob) => void;
}

const POLL_MS = 1000;

/** Jobs with leases in memory, as the shared store of several workers; every method is one atomic step. */
export class SimulatedJobStore implements JobStore {
  readonly jobs = new Map<string, StoredJob>();
  /** Deliveries that were settled or released, as `id/token`. */
  readonly ended = new Set<string>();

  constructor(private readonly options: SimulatedJobStoreOptions) {}

  async connect(): Promise<void> {}

  async add(_queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    const open = [...this.jobs.values()].filter(
      ({ state }) => state === 'ready' || state === 'active',
    ).length;
    if (open + jobs.length > this.options.capacity) throw new QueueFull(this.options.capacity);
    const nowMs = this.options.nowMs();
    for (const job of jobs) {
      if (this.jobs.has(job.id)) continue;
      const idle = {
        state: 'ready',
        attempt: 0,
        token: null,
        leaseUntilMs: 0,
        reason: null,
        interrupted: 0,
      } as const;
      this.jobs.set(job.id, { ...job, ...idle, enqueuedAtMs: nowMs, readyAtMs: nowMs + job.delayMs });
    }
    return jobs.map(({ id }) => id);
  }

  async claim(_queue: string, token: string, limit: number): Promise<Claim> {
    const nowMs = this.options.nowMs();
    let [retried, dead] = [0, 0];
    for (const job of this.jobs.values()) {
      if (job.state !== 'active' || job.leaseUntilMs > nowMs) continue;
      if (this.#fail(job, 'lease-expired') === 'dead') dead += 1;
      else retried += 1;
    }
    const ready = [...this.jobs.values()].filter(
      ({ state, readyAtMs }) => state === 'ready' && readyAtMs <= nowMs,
    );
    const jobs = ready.slice(0, limit).map((job): ClaimedJob => {
      Object.assign(job, { state: 'active', token, leaseUntilMs: nowMs + this.options.leaseMs });
      job.attempt += 1;
      this.options.handed(job);
      const { id, data, attempt, enqueuedAtMs } = job;
      return { id, token, owner: null, data, attempt, maxAttempts: this.#most(job), enqueuedAtMs };
    });
    return { jobs, nextMs: null, retried, dead };
  }

  async settle(_queue: string, { id, token }: ClaimedJob, outcome: Outcome): Promise<Settled> {
    const job = this.#held(id, token);
    if (job === null) return 'lost';
    this.ended.add(`${id}/${token}`);
    switch (outcome.kind) {
      case 'ok':
        job.state = 'completed';
        job.token = null;
        return 'ok';
      case 'dead':
        this.#bury(job, outcome.reason);
        return 'dead';
      case 'retry':
        return this.#fail(job, outcome.reason);
      case 'defer':
        job.attempt -= 1;
        this.#free(job, this.options.nowMs() + outcome.delayMs);
    }
    return 'deferred';
  }

  async renew(_queue: string, jobs: readonly ClaimedJob[]): Promise<readonly ClaimedJob[]> {
    const untilMs = this.options.nowMs() + this.options.leaseMs;
    return jobs.filter(({ id, token }) => {
      const job = this.#held(id, token);
      if (job !== null) job.leaseUntilMs = untilMs;
      return job === null;
    });
  }

  async release(_queue: string, jobs: readonly Returned[]): Promise<void> {
    for (const { job: claimed, begun } of jobs) {
      const job = this.#held(claimed.id, claimed.token);
      if (job === null) continue;
      if (begun) job.interrupted += 1;
      else job.attempt -= 1;
      this.#free(job, this.options.nowMs());
    }
  }

  async wait(_queue: string, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(ms, POLL_MS));
      signal.addEventListener('abort', end, { once: true });
    });
  }

  async stats(): Promise<QueueStats> {
    const of = (state: StoredJob['state']): number =>
      [...this.jobs.values()].filter((job) => job.state === state).length;
    const ages = { oldestReadyAgeMs: null, oldestActiveAgeMs: null };
    return {
      ready: of('ready'),
      active: of('active'),
      delayed: 0,
      deadLetter: of('dead'),
      completed: of('completed'),
      ...ages,
    };
  }

  async listDeadLetters(): Promise<readonly DeadLetter[]> {
    return [];
  }

  async replayDeadLetters(): Promise<number> {
    return 0;
  }

  async removeDeadLetters(): Promise<number> {
    return 0;
  }

  async listEvents(): Promise<readonly JobEvent[]> {
    return [];
  }

  async health(): Promise<void> {}

  async close(): Promise<void> {}

  #held(id: string, token: string): StoredJob | null {
    const job = this.jobs.get(id);
    return job?.state === 'active' && job.token === token ? job : null;
  }

  #fail(job: StoredJob, reason: string): 'dead' | 'retry' {
    if (job.attempt >= this.#most(job)) {
      this.#bury(job, `attempts-exhausted: ${reason}`);
      return 'dead';
    }
    this.#free(job, this.options.nowMs() + retryDelayMs(job.id, job.attempt, this.options));
    return 'retry';
  }

  #bury(job: StoredJob, reason: string): void {
    Object.assign(job, { state: 'dead', token: null, reason });
  }

  #free(job: StoredJob, readyAtMs: number): void {
    Object.assign(job, { state: 'ready', token: null, readyAtMs });
  }

  #most({ maxAttempts }: PreparedJob): number {
    return maxAttempts ?? this.options.maxAttempts;
  }
}
