import type { Row } from '@carillon/records';
import {
  type AppSurvey,
  type Evicted,
  type PurgeRequest,
  type PurgeStep,
  sumEvicted,
} from '../../retention.js';
import { cappedHint, cappedPartition, duePartition, STREAM_BUCKETS } from '../hints.js';
import { keyOfText, lastPart, serialText } from '../keys.js';
import { PurgeLease } from './lease.js';
import type { PurgeDone, PurgeParts } from './scope.js';
import { SurveyCount } from './survey.js';
import { visitCapped, visitDue } from './visit.js';

export interface RecordPurgerParts extends PurgeParts {
  /** The time from one survey of all streams to the next. */
  readonly surveyEveryMs: number;
}

/** Index entries read together. */
const ENTRIES = 100;

/** A position in the buckets of an index. */
interface Position {
  readonly bucket: number;
  readonly after: string | null;
}

const START: Position = { bucket: 0, after: null };
const END: Position = { bucket: STREAM_BUCKETS, after: null };

/** Positions that a round of steps has reached. */
interface Round {
  capped: Position;
  due: Position;
  surveyed: Position;
  count: SurveyCount;
}

/**
 * Removes rows beyond retention by the entries that commits left in the indexes: a stream without anything to remove
 * costs nothing. Each commit removes rows with their part in the counters; a step is a bounded number of commits.
 */
export class RecordPurger {
  readonly #lease: PurgeLease;
  #round: Round | null = null;
  #cappedRound: Position | null = null;
  #survey: readonly AppSurvey[] = [];
  #surveyedAtMs = -Infinity;

  constructor(private readonly parts: RecordPurgerParts) {
    this.#lease = new PurgeLease(parts.records);
  }

  /** Counts of the last whole round of this process. */
  get survey(): readonly AppSurvey[] {
    return this.#survey;
  }

  /** Null: another process purges. */
  async purge(request: PurgeRequest): Promise<PurgeStep | null> {
    if (!(await this.#lease.take())) {
      this.#round = null;
      this.#cappedRound = null;
      return null;
    }
    const step = request.onlyCapped === true ? await this.#trim(request) : await this.#step(request);
    if (!step.more) await this.#lease.release();
    return step;
  }

  async #trim(request: PurgeRequest): Promise<PurgeStep> {
    const done = new StepSum();
    this.#cappedRound = await this.#visitCapped(request, this.#cappedRound ?? START, done);
    if (!isAtEnd(this.#cappedRound)) return done.step(true);
    this.#cappedRound = null;
    return done.step(false);
  }

  async #step(request: PurgeRequest): Promise<PurgeStep> {
    const isSurveyed = request.nowMs - this.#surveyedAtMs < this.parts.surveyEveryMs;
    const round = (this.#round ??= {
      capped: START,
      due: START,
      surveyed: isSurveyed && request.nowMs >= this.#surveyedAtMs ? END : START,
      count: new SurveyCount(),
    });
    const done = new StepSum();
    if (!isAtEnd(round.capped)) {
      round.capped = await this.#visitCapped(request, round.capped, done);
      if (done.removed > 0 || !isAtEnd(round.capped)) return done.step(true);
    }
    if (!isAtEnd(round.due)) {
      round.due = await this.#visitDue(request, round.due, done);
      if (done.removed > 0 || !isAtEnd(round.due)) return done.step(true);
    }
    if (!isAtEnd(round.surveyed)) {
      round.surveyed = await this.#count(request, round);
      if (!isAtEnd(round.surveyed)) return done.step(true);
      this.#survey = round.count.survey;
      this.#surveyedAtMs = request.nowMs;
    }
    this.#round = null;
    return done.step(false);
  }

  #visitCapped(request: PurgeRequest, from: Position, done: StepSum): Promise<Position> {
    const { records } = this.parts;
    return this.#each(from, request, done, cappedPartition, null, async (entry) => {
      const streamKey = keyOfText(entry.sort);
      // Deleted first: a commit that finds the stream over its caps from now on registers it again.
      await records.remove([entry]);
      const visited = await visitCapped(this.parts, request, streamKey);
      done.add(visited);
      const { expiresInMs: _never, ...hint } = cappedHint(streamKey);
      if (visited.isOver) await records.put([{ ...hint, version: 1, expiresAtMs: null }]);
      return visited.isDone;
    });
  }

  #visitDue(request: PurgeRequest, from: Position, done: StepSum): Promise<Position> {
    const until = serialText(request.nowMs + 1);
    return this.#each(from, request, done, duePartition, until, async (entry) => {
      const visited = await visitDue(this.parts, request, keyOfText(lastPart(entry.sort)));
      done.add(visited);
      if (visited.isDone) await this.parts.records.remove([entry]);
      return visited.isDone;
    });
  }

  /**
   * Passes over empty buckets and visits the entries of the next one, until a batch is removed or one read of entries is
   * visited; returns where to resume.
   */
  async #each(
    from: Position,
    request: PurgeRequest,
    done: StepSum,
    partitionOf: (bucket: number) => string,
    to: string | null,
    visit: (entry: Row) => Promise<boolean>,
  ): Promise<Position> {
    for (let at = from; !isAtEnd(at); at = { bucket: at.bucket + 1, after: null }) {
      const { bucket, after } = at;
      const first = after === null ? null : `${after}0`;
      const range = { partition: partitionOf(bucket), from: first, to, reverse: false, limit: ENTRIES };
      const entries = await this.parts.records.range(range);
      if (entries.length === 0) continue;
      let seen = after;
      for (const entry of entries) {
        if (done.removed >= request.batch) return { bucket, after: seen };
        // A stream that needs another visit is visited again by the next step.
        if (!(await visit(entry))) return { bucket, after: seen };
        seen = entry.sort;
      }
      return entries.length < ENTRIES ? { bucket: bucket + 1, after: null } : { bucket, after: seen };
    }
    return END;
  }

  async #count({ nowMs }: PurgeRequest, { surveyed, count }: Round): Promise<Position> {
    const { bucket, after } = surveyed;
    const from = after === null ? null : `${after}0`;
    const range = { partition: duePartition(bucket), from, to: null, reverse: false, limit: ENTRIES };
    const entries = await this.parts.records.range(range);
    await count.add(this.parts, entries, nowMs);
    const last = entries.at(-1);
    return last === undefined || entries.length < ENTRIES
      ? { bucket: bucket + 1, after: null }
      : { bucket, after: last.sort };
  }
}

const isAtEnd = ({ bucket }: Position): boolean => bucket >= STREAM_BUCKETS;

/** Sum of the visits of one step. */
class StepSum {
  #evicted: Evicted[] = [];
  removed = 0;

  add({ removed, evicted }: PurgeDone): void {
    this.removed += removed;
    this.#evicted = sumEvicted([...this.#evicted, ...evicted]);
  }

  step(more: boolean): PurgeStep {
    return { evicted: this.#evicted, removed: this.removed, more };
  }
}
