import type { Row, RowKey } from '@carillon/records';
import { after, bucketOf, keyOf, partsOf } from './keys.js';
import { ALL, mergedPages, type Rows } from './rows.js';

const PAGE = 250;
/** Longest time that a process relies on having listed a slot. */
const LISTED_MS = 3_600_000;
/** Slots that a process remembers to have listed. */
const MAX_LISTED = 10_000;
/** An entry without its row may belong to a commit that is under way; older than this, it does not. */
const UNDER_WAY_MS = 600_000;

/** A moment and whose it is. */
export interface TimeEntry {
  readonly timeMs: number;
  readonly id: readonly string[];
}

/** An entry as it was found. */
export interface FoundEntry extends TimeEntry {
  /** Value that the writer stored with it. */
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

/** Distribution of the entries of an index. */
export interface Spread {
  /** Length of a slot of time, which has partitions of its own. */
  readonly slotMs: number;
  /** Partitions of a slot. */
  readonly buckets: number;
}

/**
 * Entries in the order of their time, spread over slots of time and buckets: a slot that is over is hardly written again, no
 * partition holds more than a share of one, and readers do not pass over entries that were deleted in earlier ones (a
 * wide-column store keeps their tombstones for days). A list of the slots that have entries is kept beside them.
 *
 * Entries point to rows of other partitions. A writer adds the entry before the commit of the row; a reader verifies the
 * row, skips an entry without one, and removes it once it is settled.
 */
export class TimeIndex {
  readonly #listed = new Map<string, number>();

  constructor(
    private readonly rows: Rows,
    private readonly name: string,
    private readonly spread: Spread,
    private readonly clock: () => number = Date.now,
  ) {}

  /** `scope` separates indexes of one name, e.g. those of apps. */
  async put(entries: readonly (TimeEntry & { readonly note?: string })[], scope = ''): Promise<void> {
    if (entries.length === 0) return;
    const nowMs = this.clock();
    await this.#list(new Set(entries.map(({ timeMs }) => this.#slotOf(timeMs))), scope, nowMs);
    await this.rows.put(
      entries.map(({ timeMs, id, note = '' }) => ({
        ...this.#keyOf({ timeMs, id }, scope),
        version: 1,
        value: `${nowMs} ${note}`,
        expiresAtMs: null,
      })),
    );
  }

  async remove(entries: readonly TimeEntry[], scope = ''): Promise<void> {
    await this.rows.remove(entries.map((entry) => this.#keyOf(entry, scope)));
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
    for (const [slot, listedMs] of await this.#slots(scope, from, to)) {
      const partitions = this.#partitions(scope, slot);
      let isEmpty = true;
      for await (const page of mergedPages(this.rows, partitions, { from, to }, PAGE)) {
        isEmpty = false;
        yield page.map((row) => this.#found(row));
      }
      if (isEmpty) await this.#unlist(scope, slot, listedMs);
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

  #slotOf(timeMs: number): number {
    return Math.max(0, Math.floor(timeMs / this.spread.slotMs));
  }

  #keyOf({ timeMs, id }: TimeEntry, scope: string): RowKey {
    const bucket = bucketOf(keyOf(...id), this.spread.buckets);
    return { partition: this.#partition(scope, this.#slotOf(timeMs), bucket), sort: keyOf(timeMs, ...id) };
  }

  #partition(scope: string, slot: number, bucket: number): string {
    return keyOf('time', this.name, scope, slot, bucket);
  }

  #partitions(scope: string, slot: number): string[] {
    return Array.from({ length: this.spread.buckets }, (_, bucket) => this.#partition(scope, slot, bucket));
  }

  #slotsPartition(scope: string): string {
    return keyOf('slots', this.name, scope);
  }

  /** Slots that may have entries between the keys, and when each was listed. */
  async #slots(scope: string, from: string | null, to: string | null): Promise<[number, number][]> {
    const slots: [number, number][] = [];
    const slotAt = (key: string): number => this.#slotOf(Number(partsOf(key)[0]));
    const span = {
      from: from === null ? null : keyOf(slotAt(from)),
      to: to === null ? null : keyOf(slotAt(to) + 1),
    };
    for await (const page of this.rows.pages(this.#slotsPartition(scope), span, PAGE)) {
      for (const { sort, value } of page) slots.push([Number(partsOf(sort)[0]), Number(value)]);
    }
    return slots;
  }

  /** Time for which a process relies on having listed a slot. */
  get #listedMs(): number {
    return Math.min(LISTED_MS, this.spread.slotMs);
  }

  /** Before the first entry of a slot, so that readers find it. */
  async #list(slots: ReadonlySet<number>, scope: string, nowMs: number): Promise<void> {
    const nameOf = (slot: number): string => `${slot} ${scope}`;
    const missing = [...slots].filter(
      (slot) => nowMs - (this.#listed.get(nameOf(slot)) ?? 0) >= this.#listedMs,
    );
    if (missing.length === 0) return;
    const partition = this.#slotsPartition(scope);
    const value = String(nowMs);
    await this.rows.put(
      missing.map((slot) => ({ partition, sort: keyOf(slot), version: 1, value, expiresAtMs: null })),
    );
    if (this.#listed.size >= MAX_LISTED) this.#listed.clear();
    for (const slot of missing) this.#listed.set(nameOf(slot), nowMs);
  }

  /** Forgets an empty slot of the past that no process relies on having listed. */
  async #unlist(scope: string, slot: number, listedMs: number): Promise<void> {
    const nowMs = this.clock();
    if (nowMs - listedMs < 2 * this.#listedMs || (slot + 2) * this.spread.slotMs > nowMs) return;
    const first = this.#partitions(scope, slot).map((partition) => this.rows.range(partition, ALL, 1));
    if ((await Promise.all(first)).some((page) => page.length > 0)) return;
    await this.rows.remove([{ partition: this.#slotsPartition(scope), sort: keyOf(slot) }]);
  }
}

/** The span of all times before a moment. */
export const before = (toMs: number): TimeSpan => ({ fromMs: null, toMs });

/** The bound behind a moment, in whole milliseconds. */
export const until = (lastMs: number): TimeSpan => ({ fromMs: null, toMs: lastMs + 1 });
