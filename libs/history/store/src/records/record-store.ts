import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RecordStore, Row } from '@carillon/records';
import { StoreFailure } from '../failures.js';
import type { Changes, Found, Wanted } from '../model/changes.js';
import { newStream, type Stream, type StreamAddress } from '../model/stream.js';
import type { BatchLimits, DurableStore, Watermark } from '../port.js';
import type { AppSurvey, PurgeRequest, PurgeStep } from '../retention.js';
import { findWanted } from './find.js';
import { OvertakenRead } from './find-messages.js';
import { type FoundRows, withReplaced } from './found-rows.js';
import { shownStream } from './head.js';
import type { Hint } from './hints.js';
import { hashedKey, type KeyChoice } from './keys.js';
import { Lanes } from './lanes.js';
import { planCommit } from './plan.js';
import { RecordPurger } from './purge/purger.js';
import { RecordReads } from './record-reads.js';
import { RememberedHeads } from './remembered.js';

export interface RecordHistoryOptions {
  readonly now: () => number;
  /** Time that one commit may take with all its rounds. */
  readonly timeoutMs: number;
  /** The time from one survey of all streams to the next. */
  readonly surveyEveryMs: number;
  /** Absent: a hash of the address. */
  readonly keyOf?: KeyChoice;
}

/** Rows that one record may take in a commit: as many as an annotation that deletes another one. */
const ROWS_PER_RECORD = 9;
/** Rows of a commit that belong to no record. */
const ROWS_APART = 6;
/** A record takes several times its bytes in a commit: frame, data and JSON escapes. */
const BYTES_PER_BYTE = 6;
const MAX_BYTES = 512 * 1024;
/** Batches at one time. */
const BATCHES = 64;

const SHORTEST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;

/**
 * Streams in a store of partitioned records: one partition a stream, with a head row whose version every commit requires
 * to be the one that was read. A batch reads, decides and commits; when another writer was first, it reads and decides
 * again. Nothing is locked, so a dead writer blocks no other one.
 */
export class RecordHistoryStore extends RecordReads implements DurableStore {
  readonly limits: BatchLimits;
  readonly #lanes: Lanes;
  readonly #purger: RecordPurger;
  readonly #remembered = new RememberedHeads();
  readonly #timeoutMs: number;

  constructor(
    records: RecordStore,
    { now, timeoutMs, surveyEveryMs, keyOf = hashedKey }: RecordHistoryOptions,
  ) {
    super(records, now, keyOf);
    const { rows, bytes } = records.limits;
    this.limits = {
      records: Math.max(1, Math.floor((rows - ROWS_APART) / ROWS_PER_RECORD)),
      bytes: Math.min(MAX_BYTES, Math.floor(bytes / BYTES_PER_BYTE)),
      streams: 1,
      batches: BATCHES,
    };
    this.#lanes = new Lanes(this.records, this.reader);
    this.#purger = new RecordPurger({ reader: this.reader, records: this.records, surveyEveryMs });
    this.#timeoutMs = timeoutMs;
  }

  connect(): Promise<void> {
    return this.records.connect();
  }

  async commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    const [asked, ...others] = wanted.streams;
    if (asked === undefined || others.length > 0)
      throw new RangeError(`a batch of ${wanted.streams.length} streams exceeds the limit of one`);
    const startedMs = performance.now();
    for (let round = 0; ; round += 1) {
      const decision = await this.#round(wanted, asked, decide);
      if (decision !== null) return decision;
      if (performance.now() - startedMs > this.#timeoutMs)
        throw new StoreFailure('conflict', `other writers were first in ${round + 1} rounds of a commit`);
      await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** Math.min(round, 10)));
    }
  }

  raiseWatermarks(
    marks: readonly Watermark[],
    seen: { readonly lanes: readonly number[]; readonly writerId: string; readonly nowMs: number },
  ): Promise<void> {
    return this.#lanes.raise(marks, seen);
  }

  laneSeenAtMs(lane: number): Promise<number | null> {
    return this.#lanes.seenAtMs(lane);
  }

  agreedLanes(): Promise<number | null> {
    return this.#lanes.agreed();
  }

  agreeOnLanes(lanes: number, replace: boolean): Promise<number> {
    return this.#lanes.agree(lanes, replace);
  }

  purge(request: PurgeRequest): Promise<PurgeStep | null> {
    return this.#purger.purge(request);
  }

  async survey(): Promise<readonly AppSurvey[]> {
    return this.#purger.survey;
  }

  /**
   * Null: another writer committed first. A stream that this process wrote last is decided on its remembered state
   * without a read: the commit is conditional on the same head and on the absence of the receipts. Otherwise it is
   * read.
   */
  async #round<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    asked: Wanted['streams'][number],
    decide: (found: Found) => Decision,
  ): Promise<Decision | null> {
    const remembered = this.#remembered.find(wanted, asked.address);
    if (remembered !== null) {
      const done = await this.#attempt({ wanted, asked, decide, found: remembered }).catch(unlessFailure);
      if (done !== null && done.outcome === 'committed') return done.decision;
    }
    const found = await this.locator.find(wanted, asked.address, asked.create);
    const { decision, outcome } = await this.#attempt({ wanted, asked, decide, found });
    return outcome === 'overtaken' ? null : decision;
  }

  async #attempt<Decision extends { readonly changes: Changes }>({
    wanted,
    asked,
    decide,
    found,
  }: {
    readonly wanted: Wanted;
    readonly asked: Wanted['streams'][number];
    readonly decide: (found: Found) => Decision;
    readonly found: FoundRows;
  }): Promise<Attempt<Decision>> {
    this.#remembered.forget(asked.address);
    const stream = streamIn(found, asked, wanted.nowMs);
    const seen = await this.#find(wanted, found, stream);
    if (seen === null) return { decision: null, outcome: 'overtaken' };
    const decision = decide(seen);
    if (stream === null) return { decision, outcome: 'nothing' };
    const { changes } = decision;
    const plan = planCommit({
      changes,
      found: await withReplaced(this.reader, found, changes),
      stream,
      nowMs: wanted.nowMs,
      valueBytes: this.records.limits.valueBytes,
      expiresAt,
    });
    if (plan === null) return { decision, outcome: 'nothing' };
    if (plan.hints.length > 0) await this.records.put(plan.hints.map(rowOf));
    if (!(await this.records.commit(plan.draft.commit))) return { decision: null, outcome: 'overtaken' };
    this.#remembered.remember(asked.address, plan.head, found.side);
    return { decision, outcome: 'committed' };
  }

  async #find(wanted: Wanted, found: FoundRows, stream: Stream | null): Promise<Found | null> {
    try {
      return await findWanted({ reader: this.reader, wanted, found, stream, head: found.head });
    } catch (thrown) {
      if (thrown instanceof OvertakenRead) return null;
      throw thrown;
    }
  }
}

/** An error of `decide` on a state that may be out of date leads to another decision; a failure of the store does not. */
function unlessFailure(thrown: unknown): null {
  if (thrown instanceof StoreFailure) throw thrown;
  return null;
}

/** Result of one attempt to commit. Decision null: none was made on the present state. */
type Attempt<Decision> =
  | { readonly decision: Decision; readonly outcome: 'committed' | 'nothing' }
  | { readonly decision: null; readonly outcome: 'overtaken' };

const streamIn = (
  { head, side, owner }: FoundRows,
  { address, create }: { readonly address: StreamAddress; readonly create: boolean },
  nowMs: number,
): Stream | null => {
  if (head !== null) return shownStream(head, side);
  return create ? newStream(address, owner.streamKey, randomUUID(), nowMs) : null;
};

/** Rows expire by the clock of the record store, which the caller's may differ from. */
const expiresAt = (durationMs: number): number => Date.now() + durationMs;

const rowOf = ({ expiresInMs, ...row }: Hint): Row => ({
  ...row,
  version: 1,
  expiresAtMs: expiresInMs === null ? null : expiresAt(expiresInMs),
});
