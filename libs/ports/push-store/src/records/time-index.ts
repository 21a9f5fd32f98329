import type { Row } from '@carillon/records';
import { after, bucketOf, keyOf, partsOf } from './keys.js';
import { ALL, mergedPages, type Rows } from './rows.js';

const DAY_MS = 86_400_000;
/** Partitions of one day of an index. */
const BUCKETS = 4;
const PAGE = 250;
/** How long a process relies on having listed a day. */
const LISTED_MS = 3_600_000;
/** Days that a process remembers to have listed. */
const MOST_LISTED = 10_000;
/** An entry without its row may belong to a commit that is under way; older than this, it does not. */
const UNDER_WAY_MS = 600_000;

/** A moment and whose it is. */
export interface TimeEntry {
  readonly timeMs: number;
  readonly id: readonly string[];
}

/** An entry as it was found. */
export interface FoundEntry extends TimeEntry {
  /** What the writer stored with it. */
  readonly note: string;
  /** Whether it is older than any commit that may still follow it. */
  readonly isSettled: boolean;
  readonly row: Row;
}

/** Half-open: `fromMs` ≤ time < `toMs`. Null: no bound. */
export interface TimeSpan {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/**
 * Entries in the order of their time, spread over days and buckets: a day that is over is never written again, and no
 * partition holds more than a share of one day. A list of the days that have entries is kept beside them.
 *
 * Entries point to rows of other partitions. A writer adds the entry before the commit of the row; a reader verifies the
 * row, skips an entry without one, and removes it once it is settled.
 */
export class TimeIndex {
  readonly #listed = new Map<string, number>();

  constructor(
    private readonly rows: Rows,
    private readonly name: string,
    private readonly clock: () => number = Date.now,
  ) {}

  /** `scope` separates indexes of one name, e.g. those of apps. */
  async put(entries: readonly (TimeEntry & { readonly note?: string })[], scope = ''): Promise<void> {
    if (entries.length === 0) return;
    const nowMs = this.clock();
    await this.#list(new Set(entries.map(({ timeMs }) => dayOf(timeMs))), scope, nowMs);
    await this.rows.put(
      entries.map(({ timeMs, id, note = '' }) => ({
        partition: this.#partition(scope, dayOf(timeMs), bucketOf(keyOf(...id), BUCKETS)),
        sort: keyOf(timeMs, ...id),
        version: 1,
        value: `${nowMs} ${note}`,
        expiresAtMs: null,
      })),
    );
  }

  async remove(entries: readonly TimeEntry[], scope = ''): Promise<void> {
    await this.rows.remove(
      entries.map(({ timeMs, id }) => ({
        partition: this.#partition(scope, dayOf(timeMs), bucketOf(keyOf(...id), BUCKETS)),
        sort: keyOf(timeMs, ...id),
      })),
    );
  }

  /** Entries of a span in the order of time and id. `behindEntry`: only those that follow it. */
  async *pages(
    { fromMs, toMs }: TimeSpan,
    scope = '',
    behindEntry: TimeEntry | null = null,
  ): AsyncGenerator<readonly FoundEntry[]> {
    const first = behindEntry === null ? null : after(keyOf(behindEntry.timeMs, ...behindEntry.id));
    const fromKey = fromMs === null ? null : keyOf(fromMs);
    const from = first !== null && (fromKey === null || first > fromKey) ? first : fromKey;
    const to = toMs === null ? null : keyOf(toMs);
    for (const [day, listedMs] of await this.#days(scope)) {
      if (to !== null && keyOf(day * DAY_MS) >= to) continue;
      if (from !== null && keyOf((day + 1) * DAY_MS) <= from) continue;
      const partitions = Array.from({ length: BUCKETS }, (_, bucket) => this.#partition(scope, day, bucket));
      let isEmpty = true;
      for await (const page of mergedPages(this.rows, partitions, { from, to }, PAGE)) {
        isEmpty = false;
        yield page.map((row) => this.#found(row));
      }
      if (isEmpty) await this.#unlist(scope, day, listedMs, partitions);
    }
  }

  /** Number of entries in the span, counted up to `most`. */
  async count(span: TimeSpan, most: number): Promise<number> {
    let count = 0;
    for await (const page of this.pages(span)) {
      count += page.length;
      if (count >= most) return most;
    }
    return count;
  }

  #found(row: Row): FoundEntry {
    const [time = '0', ...id] = partsOf(row.sort);
    const space = row.value.indexOf(' ');
    const putMs = Number(row.value.slice(0, space));
    return {
      timeMs: Number(time),
      id,
      note: row.value.slice(space + 1),
      isSettled: this.clock() - putMs > UNDER_WAY_MS,
      row,
    };
  }

  #partition(scope: string, day: number, bucket: number): string {
    return keyOf('time', this.name, scope, day, bucket);
  }

  #daysPartition(scope: string): string {
    return keyOf('days', this.name, scope);
  }

  async #days(scope: string): Promise<[number, number][]> {
    const days: [number, number][] = [];
    for await (const page of this.rows.pages(this.#daysPartition(scope), ALL, PAGE)) {
      for (const { sort, value } of page) days.push([Number(partsOf(sort)[0]), Number(value)]);
    }
    return days;
  }

  /** Before the first entry of a day, so that readers find it. */
  async #list(days: ReadonlySet<number>, scope: string, nowMs: number): Promise<void> {
    const nameOf = (day: number): string => `${day} ${scope}`;
    const missing = [...days].filter((day) => nowMs - (this.#listed.get(nameOf(day)) ?? 0) >= LISTED_MS);
    if (missing.length === 0) return;
    const partition = this.#daysPartition(scope);
    const value = String(nowMs);
    await this.rows.put(
      missing.map((day) => ({ partition, sort: keyOf(day), version: 1, value, expiresAtMs: null })),
    );
    if (this.#listed.size >= MOST_LISTED) this.#listed.clear();
    for (const day of missing) this.#listed.set(nameOf(day), nowMs);
  }

  /** Forgets an empty day of the past that no process relies on having listed. */
  async #unlist(scope: string, day: number, listedMs: number, partitions: readonly string[]): Promise<void> {
    const nowMs = this.clock();
    if (nowMs - listedMs < 2 * LISTED_MS || (day + 2) * DAY_MS > nowMs) return;
    const left = await Promise.all(partitions.map((partition) => this.rows.range(partition, ALL, 1)));
    if (left.some((page) => page.length > 0)) return;
    await this.rows.remove([{ partition: this.#daysPartition(scope), sort: keyOf(day) }]);
  }
}

const dayOf = (timeMs: number): number => Math.max(0, Math.floor(timeMs / DAY_MS));

/** The span of all times before a moment. */
export const before = (toMs: number): TimeSpan => ({ fromMs: null, toMs });

/** The bound behind a moment, in whole milliseconds. */
export const until = (lastMs: number): TimeSpan => ({ fromMs: null, toMs: lastMs + 1 });
