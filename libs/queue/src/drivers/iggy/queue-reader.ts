import {
  type IggyClient,
  IggySender,
  type PartitionAddress,
  pollMessages,
  storedOffset,
  storeOffset,
} from '@carillon/iggy';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { QueueUnavailable } from '../../failures.js';
import {
  type ClaimKey,
  type ClaimRecord,
  claimRecord,
  decodeClaimRecord,
  encodeClaimRecord,
} from './claim-record.js';
import { type Applied, ClaimStates } from './claim-states.js';
import { JobBuffer, type ReadJob, readJob } from './job-buffer.js';

export interface QueueReaderOptions {
  readonly client: IggyClient;
  readonly jobs: PartitionAddress;
  readonly claims: PartitionAddress;
  /** Name under which offsets are stored. */
  readonly consumer: string;
  readonly batchSize: number;
  readonly intervalMs: number;
  readonly leaseMs: number;
  /** Limit of the wait until an own record is read. */
  readonly timeoutMs: number;
  /** Called when there may be something to claim. */
  readonly onReceived: () => void;
}

/** A job that this reader has claimed. */
export interface WonJob extends ReadJob {
  readonly serial: number;
  /** Deliveries so far, this one included. */
  readonly count: number;
}

/** Jobs between the oldest that is not settled and the newest that is read. */
const MAX_WINDOW = 100_000;
const IDLE_GROWTH = 4;
const RETRY_PAUSE_MS = 200;
/** Time between two stored positions, and between two searches for expired claims. */
const STORE_EVERY_MS = 1000;
const SEARCH_EVERY_MS = 100;
/** Jobs that are read again at one search. */
const MAX_READ_AGAIN = 50;

/**
 * One worker's view of a queue: prefetches jobs, writes claims and settlements to the claims log, and derives their
 * outcomes from the log. It survives outages of the server.
 */
export class QueueReader {
  readonly #worker = randomUUID();
  readonly #buffer = new JobBuffer();
  readonly #log: IggySender;
  readonly #waiting = new Map<string, (applied: Applied) => void>();
  readonly #again = new Set<number>();
  readonly #stopping = new AbortController();
  #wakeUp = new AbortController();
  #isDraining = false;
  #nextJob: number;
  #storedLow: number;
  #storeAtMs = 0;
  #searchAtMs = 0;
  #running: Promise<void> | null = null;

  private constructor(
    private readonly options: QueueReaderOptions,
    private readonly states: ClaimStates,
  ) {
    this.#log = new IggySender({ client: options.client, address: options.claims });
    this.#nextJob = states.low;
    this.#storedLow = states.low;
  }

  /** Resolves when the claims log is read to its end. */
  static async open(options: QueueReaderOptions): Promise<QueueReader> {
    const { client, jobs, claims, consumer } = options;
    const [low, start] = await Promise.all([
      storedOffset(client, jobs, consumer),
      storedOffset(client, claims, consumer),
    ]);
    const states = new ClaimStates(start === null ? 0 : start + 1);
    if (low !== null) states.settleBelow(low + 1);
    const reader = new QueueReader(options, states);
    while (await reader.#pollClaims());
    reader.#nextJob = states.low;
    reader.#running = reader.#run();
    return reader;
  }

  get hasSome(): boolean {
    return this.#buffer.hasSome;
  }

  /** Time until the next waiting job is due. Null: none waits. */
  get nextDueMs(): number | null {
    return this.#buffer.nextDueMs;
  }

  /** At most `limit` jobs that are this worker's now. */
  async claim(limit: number): Promise<readonly WonJob[]> {
    const jobs = this.#buffer.take(limit, (offset) => this.states.isFree(offset, Date.now()));
    if (jobs.length === 0) return [];
    try {
      const { won } = await this.#write({ claim: jobs.map(({ offset }) => offset) });
      const serials = new Map(won);
      return jobs.flatMap((job) => {
        const serial = serials.get(job.offset);
        const count = this.states.of(job.offset)?.count ?? 1;
        return serial === undefined ? [] : [{ ...job, serial, count }];
      });
    } catch (error) {
      this.#buffer.putBack(jobs);
      throw error;
    }
  }

  /** False: another worker has won the job since. */
  async settle(key: ClaimKey): Promise<boolean> {
    return (await this.#write({ done: [key] })).accepted.length > 0;
  }

  /** Returns the claims that were renewed. */
  async renew(keys: readonly ClaimKey[]): Promise<readonly ClaimKey[]> {
    return keys.length === 0 ? [] : (await this.#write({ renew: keys })).accepted;
  }

  /** A begun job keeps its delivery. */
  async release(jobs: ClaimRecord['release']): Promise<void> {
    if (jobs.length > 0) await this.#write({ release: jobs });
  }

  /** Claims nothing more; claimed jobs can still be settled. */
  drain(): void {
    this.#isDraining = true;
    this.#buffer.clear();
    this.#again.clear();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp.abort();
    await this.#running;
  }

  /** Resolves when the record was read back from the log. */
  async #write(change: Parameters<typeof claimRecord>[2]): Promise<Applied> {
    const record = claimRecord(this.#worker, this.options.leaseMs, change);
    let timer: NodeJS.Timeout | undefined;
    const applied = new Promise<Applied>((resolve, reject) => {
      this.#waiting.set(record.id, resolve);
      const { timeoutMs } = this.options;
      const late = () => reject(new QueueUnavailable(`claims log not read in ${timeoutMs} ms`));
      timer = setTimeout(late, timeoutMs);
    });
    // The send may fail first.
    applied.catch(() => undefined);
    try {
      await this.#log.send(encodeClaimRecord(record));
      this.#wakeUp.abort();
      return await applied;
    } catch (error) {
      throw error instanceof QueueUnavailable
        ? error
        : new QueueUnavailable(error instanceof Error ? error.message : 'the server does not answer');
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(record.id);
    }
  }

  async #run(): Promise<void> {
    const { intervalMs } = this.options;
    let waitMs = intervalMs;
    while (!this.#stopping.signal.aborted) {
      let hasMore = false;
      try {
        hasMore = await this.#pollClaims();
        if (await this.#pollJobs()) hasMore = true;
        await this.#readAgain();
        await this.#store();
        waitMs = hasMore ? intervalMs : Math.min(waitMs * 2, intervalMs * IDLE_GROWTH);
      } catch {
        // Calls that wait for their records reject by their time-outs.
        waitMs = RETRY_PAUSE_MS;
      }
      if (!hasMore) await this.#pause(waitMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    if (!this.#wakeUp.signal.aborted)
      await pause(ms, undefined, { signal: this.#wakeUp.signal }).catch(() => undefined);
    if (!this.#stopping.signal.aborted) this.#wakeUp = new AbortController();
  }

  /** True: there may be more. */
  async #pollClaims(): Promise<boolean> {
    const { client, claims, consumer, batchSize: count } = this.options;
    const value = this.states.next;
    const { messages } = await pollMessages(client, claims, {
      consumer,
      kind: 'offset',
      value,
      count,
      autoCommit: false,
    });
    for (const { offset, timestampMs, payload } of messages) {
      const record = decodeClaimRecord(payload.toString('utf8'));
      if (record === null) this.states.skip(offset);
      else {
        const applied = this.states.apply(record, offset, timestampMs);
        if (!this.#isDraining) for (const one of applied.released) this.#again.add(one);
        const resolve = this.#waiting.get(record.id);
        if (resolve !== undefined) resolve(applied);
        else if (record.worker === this.#worker) this.#disclaim(applied);
      }
    }
    return messages.length === count;
  }

  /** Releases jobs won by a claim whose waiter timed out. */
  #disclaim({ won }: Applied): void {
    const released = won.map(([offset, serial]) => [offset, serial, false] as const);
    // Otherwise their leases end.
    this.release(released).catch(() => undefined);
  }

  async #pollJobs(): Promise<boolean> {
    if (this.#isDraining || this.#buffer.isFull) return false;
    this.#nextJob = Math.max(this.#nextJob, this.states.low);
    if (this.#nextJob - this.states.low > MAX_WINDOW) return false;
    const { client, jobs, consumer, batchSize: count } = this.options;
    const value = this.#nextJob;
    const { messages } = await pollMessages(client, jobs, {
      consumer,
      kind: 'offset',
      value,
      count,
      autoCommit: false,
    });
    const [first] = messages;
    // Jobs before it were deleted by the retention of the topic.
    if (first !== undefined && first.offset > value && value === this.states.low)
      this.states.settleBelow(first.offset);
    for (const { offset, timestampMs, payload } of messages) {
      this.#nextJob = offset + 1;
      if (!this.states.isFree(offset, Date.now())) continue;
      const job = readJob(offset, payload.toString('utf8'), timestampMs);
      this.#buffer.add(job, this.states.of(offset) === undefined ? timestampMs + job.waitMs : 0);
    }
    if (this.#buffer.hasSome) this.options.onReceived();
    return messages.length === count;
  }

  /** Reads jobs again whose claims were released or have expired. */
  async #readAgain(): Promise<void> {
    const nowMs = Date.now();
    if (!this.#isDraining && performance.now() >= this.#searchAtMs) {
      this.#searchAtMs = performance.now() + SEARCH_EVERY_MS;
      for (const offset of this.states.free(nowMs)) {
        if (this.#again.size >= MAX_READ_AGAIN) break;
        if (offset < this.#nextJob && !this.#buffer.has(offset)) this.#again.add(offset);
      }
    }
    const { client, jobs, consumer } = this.options;
    for (const offset of [...this.#again].slice(0, MAX_READ_AGAIN)) {
      this.#again.delete(offset);
      if (this.#buffer.has(offset) || this.#buffer.isFull || !this.states.isFree(offset, nowMs)) continue;
      const { messages } = await pollMessages(client, jobs, {
        consumer,
        kind: 'offset',
        value: offset,
        count: 1,
        autoCommit: false,
      });
      const [message] = messages;
      if (message?.offset !== offset) continue;
      this.#buffer.add(readJob(offset, message.payload.toString('utf8'), message.timestampMs), 0);
      this.options.onReceived();
    }
  }

  /** Stores the low-water mark, from which a new worker continues. */
  async #store(): Promise<void> {
    const { low } = this.states;
    if (low === this.#storedLow || performance.now() < this.#storeAtMs) return;
    this.#storeAtMs = performance.now() + STORE_EVERY_MS;
    const { client, jobs, claims, consumer, leaseMs } = this.options;
    await storeOffset(client, jobs, consumer, low - 1);
    const { start } = this.states;
    // In the log, too: positions of workers that lag behind may overwrite a newer one.
    await this.#log.send(encodeClaimRecord(claimRecord(this.#worker, leaseMs, { low })));
    if (start > 0) await storeOffset(client, claims, consumer, start - 1);
    this.#storedLow = low;
  }
}
