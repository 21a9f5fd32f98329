import type { Logger } from '@carillon/runtime';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  Claim,
  ClaimedJob,
  JobStore,
  Outcome,
  PreparedJob,
  Returned,
  Settled,
} from '../../job-store.js';
import type { Reliability } from '../../options.js';
import type { DeadLetter, JobEvent, QueueStats } from '../../port.js';
import { Capacity } from './capacity.js';
import { Ledger } from './ledger.js';
import { Wakeup } from './wakeup.js';

interface OneQueue {
  readonly ledger: Ledger;
  readonly wakeup: Wakeup;
}

/** Jobs in the memory of this process: gone with it, and bounded by `memory_capacity` and `memory_capacity_bytes` over all queues. */
export class MemoryStore implements JobStore {
  readonly #queues = new Map<string, OneQueue>();
  readonly #capacity: Capacity;

  constructor(
    private readonly reliability: Reliability,
    private readonly log: Logger,
  ) {
    this.#capacity = new Capacity(reliability.memory_capacity, reliability.memory_capacity_bytes);
  }

  async connect(): Promise<void> {}

  async add(queue: string, jobs: readonly PreparedJob[]): Promise<string[]> {
    return this.#queue(queue).ledger.add(jobs);
  }

  async claim(queue: string, token: string, limit: number): Promise<Claim> {
    // Handlers that never wait for anything outside must not keep the process from everything else.
    await nextTurn();
    return this.#queue(queue).ledger.claim(token, limit);
  }

  async settle(queue: string, job: ClaimedJob, outcome: Outcome): Promise<Settled> {
    return this.#queue(queue).ledger.settle(job, outcome);
  }

  async renew(): Promise<readonly ClaimedJob[]> {
    return [];
  }

  async release(queue: string, jobs: readonly Returned[]): Promise<void> {
    this.#queue(queue).ledger.release(jobs);
  }

  wait(queue: string, ms: number, signal: AbortSignal): Promise<void> {
    return this.#queue(queue).wakeup.sleep(ms, signal);
  }

  async stats(queue: string): Promise<QueueStats> {
    return this.#queue(queue).ledger.stats;
  }

  async listDeadLetters(queue: string, limit: number): Promise<readonly DeadLetter[]> {
    return this.#queue(queue).ledger.listDeadLetters(limit);
  }

  async replayDeadLetters(queue: string, limit: number): Promise<number> {
    return this.#queue(queue).ledger.replayDeadLetters(limit);
  }

  async removeDeadLetters(queue: string, ids: readonly string[]): Promise<number> {
    return this.#queue(queue).ledger.removeDeadLetters(ids);
  }

  async listEvents(queue: string, limit: number): Promise<readonly JobEvent[]> {
    return this.#queue(queue).ledger.listEvents(limit);
  }

  async health(): Promise<void> {}

  async close(): Promise<void> {
    const all = [...this.#queues.values()].map(({ ledger }) => ledger.stats);
    const sum = (state: 'ready' | 'active' | 'delayed' | 'deadLetter') =>
      all.reduce((total, stats) => total + (stats[state] ?? 0), 0);
    const lost = sum('ready') + sum('active') + sum('delayed');
    const deadLetters = sum('deadLetter');
    this.#queues.clear();
    this.log[lost + deadLetters > 0 ? 'warn' : 'info']('memory queue stopped, its jobs are lost', {
      lost,
      dead_letters: deadLetters,
    });
  }

  #queue(name: string): OneQueue {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const wakeup = new Wakeup();
    const ledger = new Ledger(this.reliability, this.#capacity, () => wakeup.wake());
    this.#queues.set(name, { ledger, wakeup });
    return { ledger, wakeup };
  }
}
