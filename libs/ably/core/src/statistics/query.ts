import { CompatError } from '../compat-error.js';
import type { JsonObject } from '../json.js';
import type { Bucket, Buckets } from './buckets.js';
import { type Entries, merged, nested, withSums } from './entries.js';
import { endOf, intervalOf, startOf, type Unit } from './intervals.js';

/** A query for the statistics of an app. */
export interface StatsQuery {
  readonly appId: string;
  readonly unit: Unit;
  readonly fromMs: number;
  /** Exclusive. */
  readonly untilMs: number;
  readonly newestFirst: boolean;
  readonly limit: number;
}

export interface StatsPage {
  readonly intervals: readonly JsonObject[];
  /** When the last of them begins; null: there is nothing more. */
  readonly lastMs: number | null;
}

/** Intervals that have something, added up of their minutes. Rejects with CompatError 50000 when that are too many. */
export async function readStats(
  buckets: Pick<Buckets, 'read'>,
  query: StatsQuery,
  { maxScan, nowMs }: { readonly maxScan: number; readonly nowMs: number },
): Promise<StatsPage> {
  const { appId, unit, fromMs, untilMs, newestFirst, limit } = query;
  const found: Interval[] = [];
  let read = 0;
  for await (const bucket of buckets.read(appId, { fromMs, untilMs }, newestFirst)) {
    read += 1;
    if (read > maxScan) throw new CompatError(50_000, 'too much is to be read for this', 500);
    const startMs = startOf(intervalOf(bucket.startMs, unit)) ?? bucket.startMs;
    const last = found.at(-1);
    if (last?.startMs === startMs) last.add(bucket);
    else if (found.length === limit) return pageOf(found, query, nowMs, true);
    else found.push(new Interval(startMs, bucket));
  }
  return pageOf(found, query, nowMs, false);
}

class Interval {
  #entries: Entries;
  #lastMinuteMs: number;

  constructor(
    readonly startMs: number,
    { entries, startMs: minuteMs }: Bucket,
  ) {
    this.#entries = entries;
    this.#lastMinuteMs = minuteMs;
  }

  add({ entries, startMs }: Bucket): void {
    this.#entries = merged(this.#entries, entries);
    this.#lastMinuteMs = Math.max(this.#lastMinuteMs, startMs);
  }

  shown({ appId, unit }: StatsQuery, nowMs: number): JsonObject {
    const entries = withSums(this.#entries);
    return {
      intervalId: intervalOf(this.startMs, unit),
      unit,
      appId,
      schema: 'service:compat-stats:v1',
      entries,
      ...nested(entries),
      ...(endOf(this.startMs, unit) > nowMs ? { inProgress: intervalOf(this.#lastMinuteMs, 'minute') } : {}),
    };
  }
}

const pageOf = (
  found: readonly Interval[],
  query: StatsQuery,
  nowMs: number,
  hasMore: boolean,
): StatsPage => ({
  intervals: found.map((one) => one.shown(query, nowMs)),
  lastMs: hasMore ? (found.at(-1)?.startMs ?? null) : null,
});
