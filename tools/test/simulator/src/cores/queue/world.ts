import { deadLetter, defer, type Job, QueueUnavailable, type Settlement, StoreQueue } from '@carillon/queue';
import { hashText } from '../../kernel/random.js';
import type { Action, Plan } from '../../plan/plan.js';
import type { World } from '../../run/core.js';
import type { Env } from '../../run/env.js';
import { remote } from '../../run/remote.js';
import { silentLogger } from '../../run/silent-logger.js';
import { SimulatedJobStore, type StoredJob } from './job-store.js';

const SERVER = 100;
const QUEUE = 'webhooks';
const LEASE_MS = 3000;
const MAX_ATTEMPTS = 4;
const CONCURRENCY = 2;
const PREFETCH = 4;
/** A drain may take this long, with the time that giving back takes. */
const SHUTDOWN_MS = 2000;

const RELIABILITY = {
  lease_duration_ms: LEASE_MS,
  lease_renew_interval_ms: 1000,
  max_attempts: MAX_ATTEMPTS,
  retry_base_delay_ms: 100,
  retry_max_delay_ms: 2000,
  retry_jitter: 0.2,
  worker_prefetch: PREFETCH,
  worker_poll_interval_ms: 1000,
  shutdown_timeout_ms: SHUTDOWN_MS,
  max_batch_size: 100,
  stalled_batch_size: 100,
};

const failure = (): Error => new QueueUnavailable('the store did not answer');

type Verdict = 'ok' | 'fail' | 'dead' | 'defer' | 'slow' | 'very-slow';

const VERDICTS: readonly Verdict[] = ['ok', 'ok', 'ok', 'fail', 'dead', 'defer', 'slow', 'very-slow'];

/** Decides what the handler does in one delivery: the same in every run. */
const verdictOf = (id: string, attempt: number): Verdict =>
  VERDICTS[hashText(`${id}/${attempt}`) % VERDICTS.length] ?? 'ok';

interface Running {
  readonly node: number;
  readonly attempt: number;
  readonly token: string | null;
}

/** Workers of several processes over one store with leases. */
export class QueueWorld implements World {
  readonly #store: SimulatedJobStore;
  readonly #queues = new Map<number, StoreQueue>();
  readonly #draining = new Set<number>();
  /** Jobs whose `enqueue` resolved. */
  readonly #accepted = new Set<string>();
  readonly #done = new Set<string>();
  readonly #deferred = new Set<string>();
  readonly #deadByHandler = new Set<string>();
  readonly #running = new Map<string, Running[]>();
  /** Handlers that run, by node. */
  readonly #load = new Map<number, number>();

  constructor(
    private readonly env: Env,
    private readonly plan: Plan,
  ) {
    const { simulation } = env;
    this.#store = new SimulatedJobStore({
      ...RELIABILITY,
      leaseMs: LEASE_MS,
      maxAttempts: MAX_ATTEMPTS,
      capacity: plan.capacity ?? Infinity,
      nowMs: () => simulation.inside(SERVER, () => simulation.elapsedMs),
      handed: (job) => this.#handed(job),
    });
  }

  started(node: number): void {
    this.#draining.delete(node);
    this.#load.set(node, 0);
    const store = remote(this.env, this.#store, {
      server: SERVER,
      failure,
      local: ['connect', 'wait', 'close'],
    });
    const capabilities = {
      consume: true,
      acknowledgements: true,
      delayedDelivery: true,
      retries: true,
      deadLetter: true,
      deduplication: true,
      leasing: true,
      durable: true,
      batchEnqueue: true,
      fairOwners: false,
      observableLag: true,
      observableAge: true,
    };
    const limits = { maxDelayMs: Infinity, maxBatchJobs: 100, maxJobBytes: 1 << 20, attemptOverride: true };
    const watched = this.#watched(store);
    const options = { driver: 'simulated', capabilities, limits, concurrency: CONCURRENCY, isFenced: false };
    const reliability = RELIABILITY as never;
    const queue = new StoreQueue(watched, options, { reliability, log: silentLogger() });
    queue.process(QUEUE, (job) => this.#handle(node, job), { concurrency: CONCURRENCY, prefetch: PREFETCH });
    this.#queues.set(node, queue);
    void queue.connect();
  }

  killed(node: number): void {
    for (const [id, all] of this.#running)
      this.#running.set(
        id,
        all.filter((one) => one.node !== node),
      );
  }

  act({ name, args }: Action): void {
    const [at = 0, key = 0, delay = 0, count = 0] = args;
    const node = at % this.plan.nodes;
    const { simulation } = this.env;
    if (!simulation.isUp(node) || this.#draining.has(node)) return;
    simulation.deliver(node, 0, name, () => {
      if (name === 'drain') void this.#drain(node);
      else {
        const jobs = Array.from({ length: name === 'enqueue' ? 1 : 2 + (count % 5) }, (_, index) => ({
          jobId: `job-${key}-${index}`,
          data: `${key}`,
          delayMs: delay % 3 === 0 ? delay % 2000 : 0,
        }));
        void this.#enqueue(node, jobs);
      }
    });
  }

  async finish(): Promise<void> {
    for (const id of this.#accepted) {
      const job = this.#store.jobs.get(id);
      if (job?.state !== 'completed' && job?.state !== 'dead')
        this.#report('no-job-lost', 'G7', `${id} completed or dead`, job?.state ?? 'absent');
    }
  }

  check(): void {
    for (const [node, load] of this.#load)
      if (load > CONCURRENCY)
        this.#report('worker-bounds', 'G12', `at most ${CONCURRENCY} handlers`, `${load} at node ${node}`);
  }

  async #enqueue(
    node: number,
    jobs: readonly { readonly jobId: string; readonly data: string }[],
  ): Promise<void> {
    const queue = this.#queues.get(node);
    try {
      const ids = (await queue?.enqueueBatch(QUEUE, jobs)) ?? [];
      for (const id of ids) this.#accepted.add(id);
    } catch {
      // The publisher was told that it may not be stored.
    }
  }

  async #drain(node: number): Promise<void> {
    const { simulation } = this.env;
    const incarnation = simulation.incarnation(node);
    this.#draining.add(node);
    await this.#queues.get(node)?.drain();
    if (simulation.incarnation(node) !== incarnation) return;
    const left = [...this.#running.values()].flat().filter((one) => one.node === node);
    const isStoreSound = this.plan.fault === 'bounds' || this.plan.fault === 'net-reorder';
    if (isStoreSound)
      for (const one of left) {
        const held = [...this.#store.jobs.values()].find(
          (job) => job.state === 'active' && job.token === one.token,
        );
        if (held !== undefined)
          this.#report('drain-releases', 'G15', `${held.id} released`, `held by node ${node}`);
      }
    this.env.stop(node, 500);
  }

  async #handle(node: number, job: Job): Promise<Settlement | void> {
    const stored = this.#store.jobs.get(job.id);
    const one: Running = { node, attempt: job.attempt, token: stored?.token ?? null };
    if (job.attempt > job.maxAttempts + (stored?.interrupted ?? 0))
      this.#report(
        'attempts-bounded',
        'G7',
        `at most ${job.maxAttempts}`,
        `attempt ${job.attempt} of ${job.id}`,
      );
    this.#running.set(job.id, [...(this.#running.get(job.id) ?? []), one]);
    this.#load.set(node, (this.#load.get(node) ?? 0) + 1);
    try {
      return await this.#work(job);
    } finally {
      this.#running.set(
        job.id,
        (this.#running.get(job.id) ?? []).filter((other) => other !== one),
      );
      this.#load.set(node, (this.#load.get(node) ?? 0) - 1);
    }
  }

  async #work(job: Job): Promise<Settlement | void> {
    const verdict = verdictOf(job.id, job.attempt);
    const lastsMs = verdict === 'very-slow' ? 2 * LEASE_MS : verdict === 'slow' ? 800 : 3;
    await new Promise((resolve) => setTimeout(resolve, lastsMs));
    if (verdict === 'fail') throw new Error('the handler failed');
    if (verdict === 'defer' && !this.#deferred.has(job.id)) {
      this.#deferred.add(job.id);
      return defer(300);
    }
    if (verdict === 'dead') {
      this.#deadByHandler.add(job.id);
      return deadLetter('refused');
    }
    this.#done.add(job.id);
  }

  /** Judges what workers send: by then the lease must still be theirs by the clock of the store. */
  #watched(store: SimulatedJobStore): SimulatedJobStore {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (name !== 'settle' || typeof member !== 'function') return member;
        return (queue: string, job: { id: string; token: string }, outcome: { kind: string }) => {
          this.#settling(job, outcome);
          return Reflect.apply(member, target, [queue, job, outcome]) as unknown;
        };
      },
    });
  }

  #settling({ id, token }: { id: string; token: string }, { kind }: { kind: string }): void {
    const stored = this.#store.jobs.get(id);
    const { simulation } = this.env;
    const nowMs = simulation.inside(SERVER, () => simulation.elapsedMs);
    const isOver = stored?.token !== token || stored.leaseUntilMs < nowMs;
    // A clock that drifts lets a worker hold a lease for longer than the store does, by drift × lease.
    const isExact = this.plan.fault !== 'clock-jump';
    // A settlement that took effect without an answer is sent again.
    const wasSettled = this.#store.ended.has(`${id}/${token}`);
    if (isOver && isExact && !wasSettled && stored !== undefined)
      this.#report(
        'one-holder',
        'G7',
        `${id} settled within its lease`,
        `lease ended ${Math.round(nowMs - stored.leaseUntilMs)} ms ago`,
      );
    const isHonest =
      kind === 'ok' ? this.#done.has(id) : kind === 'dead' ? this.#deadByHandler.has(id) : true;
    if (!isHonest) this.#report('settled-as-handled', 'G7', `${id} as its handler ended`, kind);
  }

  #handed(job: StoredJob): void {
    if (job.attempt > MAX_ATTEMPTS + job.interrupted)
      this.#report(
        'attempts-bounded',
        'G7',
        `at most ${MAX_ATTEMPTS}`,
        `attempt ${job.attempt} of ${job.id}`,
      );
  }

  #report(invariant: string, promise: string, expected: string, actual: string): void {
    this.env.report({ invariant, promise, expected, actual });
  }
}
