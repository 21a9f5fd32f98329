import { JobConflict } from '../../failures.js';
import { fingerprint } from '../../fingerprint.js';
import type { Claim, ClaimedJob, Outcome, PreparedJob, Returned, Settled } from '../../job-store.js';
import type { Reliability } from '../../options.js';
import type { DeadLetter, FailureReason, JobEvent, QueueStats } from '../../port.js';
import { retryDelayMs } from '../../retry-delay.js';
import type { Capacity } from './capacity.js';
import { Deduplication } from './deduplication.js';
import { DueHeap } from './due-heap.js';
import { letterOf, newEntry, type Completed, type Entry } from './entry.js';
import { EventLog } from './event-log.js';
import { FairFifo } from '../../fair/fair-fifo.js';
import { Retained } from './retained.js';

/** The jobs of one queue in memory, and every transition between their states. */
export class Ledger {
  /** Waiting, running and dead. */
  readonly #jobs = new Map<string, Entry>();
  /** An owner with many jobs keeps no other waiting. */
  readonly #ready = new FairFifo<Entry>();
  readonly #delayed = new DueHeap<Entry>();
  readonly #dead: Retained<Entry>;
  readonly #completed: Retained<Completed>;
  readonly #deduplication: Deduplication;
  readonly #events: EventLog;
  /** The one handed out longest ago first. */
  readonly #active = new Set<Entry>();
  #sequence = 0;

  constructor(
    private readonly reliability: Reliability,
    private readonly capacity: Capacity,
    /** Called when there may be something to claim. */
    private readonly onWork: () => void,
  ) {
    this.#dead = new Retained(reliability.failed_retention);
    this.#completed = new Retained(reliability.completed_retention);
    this.#deduplication = new Deduplication(reliability.deduplication_ttl_ms);
    this.#events = new EventLog(reliability.event_retention);
  }

  add(jobs: readonly PreparedJob[]): string[] {
    const added = new Map<string, PreparedJob>();
    const keys = new Map<string, string>();
    const ids = jobs.map((job) => {
      const { id, deduplicationKey: key } = job;
      const first = key === null ? undefined : (this.#deduplication.find(key) ?? keys.get(key));
      if (first !== undefined) return first;
      if (key !== null) keys.set(key, id);
      if (!this.#isHeld(job, added)) added.set(id, job);
      return id;
    });
    this.capacity.check(added.values());
    for (const job of added.values()) this.#insert(job);
    if (added.size > 0) this.onWork();
    return ids;
  }

  claim(token: string, limit: number): Claim {
    const nowMs = performance.now();
    for (let due = this.#delayed.takeDue(nowMs); due !== undefined; due = this.#delayed.takeDue(nowMs)) {
      this.#makeReady(due, due.dueMs);
      this.#events.record('waiting', due.id);
    }
    const jobs: ClaimedJob[] = [];
    while (jobs.length < limit) {
      const entry = this.#ready.take();
      if (entry === undefined) break;
      jobs.push(this.#hand(entry, token));
    }
    const next = this.#delayed.first;
    return {
      jobs,
      nextMs: next === undefined ? null : Math.max(1, Math.ceil(next.dueMs - nowMs)),
      retried: 0,
      dead: 0,
    };
  }

  settle(job: ClaimedJob, outcome: Outcome): Settled {
    const entry = this.#own(job);
    if (entry === undefined) return 'lost';
    this.#active.delete(entry);
    entry.token = null;
    switch (outcome.kind) {
      case 'ok':
        this.#complete(entry);
        return 'ok';
      case 'defer':
        if (outcome.data === undefined) entry.attempts--;
        else this.#goOn(entry, outcome.data);
        this.#schedule(entry, outcome.delayMs);
        return 'deferred';
      case 'dead':
        this.#bury(entry, outcome.reason, null);
        return 'dead';
      case 'retry':
        return this.#fail(entry, outcome.reason, outcome.detail);
      default:
        return outcome satisfies never;
    }
  }

  release(returned: readonly Returned[]): void {
    // In reverse order, so that the first one ends up at the head.
    for (const { job, begun } of returned.toReversed()) {
      const entry = this.#own(job);
      if (entry === undefined) continue;
      this.#active.delete(entry);
      entry.token = null;
      if (!begun) entry.attempts--;
      this.#ready.addFirst(entry);
    }
    this.onWork();
  }

  get stats(): QueueStats {
    const sinceMs = Math.min(...Array.from(this.#ready.firsts(), ({ readySinceMs }) => readySinceMs));
    const [running] = this.#active;
    const nowMs = performance.now();
    return {
      ready: this.#ready.size,
      active: this.#active.size,
      delayed: this.#delayed.size,
      deadLetter: this.#dead.size,
      completed: this.#completed.size,
      oldestReadyAgeMs: this.#ready.size === 0 ? null : Math.max(0, Math.round(nowMs - sinceMs)),
      oldestActiveAgeMs: running === undefined ? null : Math.max(0, Math.round(nowMs - running.begunMs)),
    };
  }

  listDeadLetters(limit: number): DeadLetter[] {
    return this.#dead.first(limit).map(letterOf);
  }

  replayDeadLetters(limit: number): number {
    const replayed = this.#dead.first(limit);
    for (const entry of replayed) {
      this.#dead.delete(entry.id);
      this.capacity.revive(entry);
      entry.attempts = 0;
      entry.failure = null;
      this.#events.record('replayed', entry.id);
      this.#makeReady(entry, performance.now());
    }
    if (replayed.length > 0) this.onWork();
    return replayed.length;
  }

  removeDeadLetters(ids: readonly string[]): number {
    const removed = ids.map((id) => this.#dead.get(id)).filter((entry) => entry !== undefined);
    for (const entry of removed) this.#forget(entry);
    return removed.length;
  }

  listEvents(limit: number): readonly JobEvent[] {
    return this.#events.latest(limit);
  }

  /** Whether the same job is held already. Throws `JobConflict` when another one is. */
  #isHeld({ id, data }: PreparedJob, added: ReadonlyMap<string, PreparedJob>): boolean {
    const entry = this.#jobs.get(id);
    const completed = this.#completed.get(id);
    const text = entry?.data ?? added.get(id)?.data;
    if (text === undefined && completed === undefined) return false;
    const known = entry?.fingerprint ?? completed?.fingerprint ?? null;
    const isSame = known === null ? text === data : known === fingerprint(data);
    if (!isSame) throw new JobConflict(id);
    return true;
  }

  #insert(job: PreparedJob): void {
    const entry = newEntry(job);
    const { id, deduplicationKey } = entry;
    this.#jobs.set(id, entry);
    this.capacity.add(job);
    if (deduplicationKey !== null) this.#deduplication.hold(deduplicationKey, id);
    this.#events.record('enqueued', id);
    this.#schedule(entry, job.delayMs);
  }

  #hand(entry: Entry, token: string): ClaimedJob {
    entry.attempts++;
    entry.token = token;
    entry.begunMs = performance.now();
    this.#active.add(entry);
    this.#events.record('active', entry.id);
    const maxAttempts = this.#mostAttempts(entry);
    const { id, owner, data, attempts: attempt, enqueuedAtMs } = entry;
    return { id, token, owner, data, attempt, maxAttempts, enqueuedAtMs };
  }

  /** The entry, while this delivery of it runs. */
  #own({ id, token }: ClaimedJob): Entry | undefined {
    const entry = this.#jobs.get(id);
    return entry?.token === token ? entry : undefined;
  }

  #fail(entry: Entry, reason: FailureReason, detail: string): 'retry' | 'dead' {
    if (entry.attempts >= this.#mostAttempts(entry)) {
      this.#bury(entry, 'attempts-exhausted', `${reason}: ${detail}`);
      return 'dead';
    }
    this.#schedule(entry, retryDelayMs(entry.id, entry.attempts, this.reliability));
    this.#events.record('retrying', entry.id);
    return 'retry';
  }

  #schedule(entry: Entry, delayMs: number): void {
    const nowMs = performance.now();
    if (delayMs === 0) {
      this.#makeReady(entry, nowMs);
    } else {
      entry.dueMs = nowMs + delayMs;
      entry.sequence = this.#sequence++;
      this.#delayed.add(entry);
    }
    this.onWork();
  }

  /** Replaces the data of a job. Jobs with a given id are deduplicated by the fingerprint of their first data. */
  #goOn(entry: Entry, data: string): void {
    if (entry.stableId) entry.fingerprint ??= fingerprint(entry.data);
    this.capacity.change(entry, data);
    entry.data = data;
    entry.attempts = 0;
  }

  #makeReady(entry: Entry, sinceMs: number): void {
    entry.readySinceMs = sinceMs;
    this.#ready.add(entry);
  }

  #complete(entry: Entry): void {
    const { id, stableId, data, deduplicationKey } = entry;
    this.#jobs.delete(id);
    this.capacity.release(entry);
    this.#events.record('completed', id);
    const completed = {
      fingerprint: stableId ? (entry.fingerprint ?? fingerprint(data)) : null,
      deduplicationKey,
    };
    this.#completed.add(id, completed, (goneId, gone) =>
      this.#deduplication.free(gone.deduplicationKey, goneId),
    );
  }

  #bury(entry: Entry, reason: string, detail: string | null): void {
    entry.failure = { reason, detail, failedAtMs: Date.now() };
    this.#events.record('failed', entry.id);
    this.capacity.bury(entry);
    this.#dead.add(entry.id, entry, (_, gone) => this.#forget(gone));
    while (this.capacity.hasTooManyDead) {
      const [oldest] = this.#dead.first(1);
      if (oldest === undefined) return;
      this.#forget(oldest);
    }
  }

  #forget(entry: Entry): void {
    const { id, deduplicationKey } = entry;
    this.#dead.delete(id);
    this.#jobs.delete(id);
    this.capacity.forget(entry);
    this.#deduplication.free(deduplicationKey, id);
  }

  #mostAttempts({ maxAttempts }: Entry): number {
    return maxAttempts ?? this.reliability.max_attempts;
  }
}
