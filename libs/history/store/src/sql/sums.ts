import type { SqlSession } from '@carillon/database';
import type { Stream } from '../model/stream.js';
import { keptDays, type Names, SHOWN } from './shown.js';

/** Sum of the rows between two serials, inclusive. */
interface Sum {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** With the stream as it was then. */
interface Remembered extends Sum {
  readonly stream: Stream;
}

/** Streams with a remembered sum; beyond, the least recently used is evicted. */
const MAX_REMEMBERED = 1000;

/**
 * Last sums of the visible rows of streams: paging through a long history sums only the difference to the previous
 * page.
 */
export class RememberedSums {
  readonly #sums = new Map<string, Remembered>();

  of(stream: Stream): Remembered | undefined {
    return this.#sums.get(nameOf(stream));
  }

  /** Lowest serial of the sum, a lower bound of the current one; null: none is remembered, or the caps have changed. */
  beginning(stream: Stream): number | null {
    const known = this.of(stream);
    const same =
      known?.stream.maxMessages === stream.maxMessages && known.stream.maxBytes === stream.maxBytes;
    return same ? known.from : null;
  }

  remember(stream: Stream, sum: Sum): void {
    const name = nameOf(stream);
    this.#sums.delete(name);
    this.#sums.set(name, { ...sum, stream });
    const [oldest] = this.#sums.keys();
    if (this.#sums.size > MAX_REMEMBERED && oldest !== undefined) this.#sums.delete(oldest);
  }
}

const nameOf = ({ streamKey, generation }: Stream): string => `${streamKey}\0${generation}`;

/** Parameters of a summation. */
export interface SumScope {
  readonly session: SqlSession;
  readonly table: Names;
  readonly stream: Stream;
  readonly nowMs: number;
  readonly sums: RememberedSums;
}

/** More rows are not added up to answer one read. */
const MAX_ADDED = 100_000;

interface Way {
  /** Number of rows read. */
  readonly rows: number;
  /** Null: some of them are gone. */
  readonly bytes: () => Promise<number | null>;
}

/**
 * Returns the sum of the rows between two serials by the cheapest method: the counters of the stream, a remembered
 * sum, or the rows themselves. Null: every method would read too many rows.
 */
export async function bytesBetween(scope: SumScope, from: number, to: number): Promise<number | null> {
  const ways = [byCounters(scope, from, to), byMemory(scope, from, to), oneByOne(scope, from, to)]
    .filter((way) => way !== null && way.rows <= MAX_ADDED)
    .sort((one, other) => (one?.rows ?? 0) - (other?.rows ?? 0));
  for (const way of ways) {
    const bytes = (await way?.bytes()) ?? null;
    if (bytes !== null) return bytes;
  }
  return null;
}

/** The counters are those of everything from the floor to the head. */
function byCounters(scope: SumScope, from: number, to: number): Way | null {
  const { floorHistorySerial: floor, nextHistorySerial, retainedBytes } = scope.stream;
  if (to !== nextHistorySerial - 1 || from < floor) return null;
  return {
    rows: from - floor,
    bytes: async () => minus(retainedBytes, await added(scope, floor, from - 1)),
  };
}

function byMemory(scope: SumScope, from: number, to: number): Way | null {
  const { stream, nowMs, sums } = scope;
  const known = sums.of(stream);
  // Below the floor rows may be erased.
  const { floorHistorySerial: floor } = stream;
  if (known === undefined || known.from < floor || from < known.from || from > known.to || to < known.to)
    return null;
  return {
    rows: from - known.from + (to - known.to),
    bytes: async () => {
      const gone = await added(scope, known.from, from - 1, keptDays(stream, nowMs));
      const come =
        byDifference(scope, known, to) ?? (await added(scope, known.to + 1, to, keptDays(stream, nowMs)));
      return come === null ? null : minus(known.bytes + come, gone);
    },
  };
}

/** While the floor is unchanged, the counters only grow by new rows. Null: not computable. */
function byDifference(
  { stream }: SumScope,
  { stream: then, to: before }: Remembered,
  to: number,
): number | null {
  const comparable =
    then.floorHistorySerial === stream.floorHistorySerial &&
    before === then.nextHistorySerial - 1 &&
    to === stream.nextHistorySerial - 1;
  return comparable ? stream.retainedBytes - then.retainedBytes : null;
}

const oneByOne = (scope: SumScope, from: number, to: number): Way => ({
  rows: to - from + 1,
  bytes: async () => (await sumOf(scope, from, to)).bytes,
});

const minus = (bytes: number, gone: number | null): number | null => (gone === null ? null : bytes - gone);

/** Reads the given days, and only if some of the rows are not among them. Null: some of the rows are missing. */
async function added(
  scope: SumScope,
  from: number,
  to: number,
  days: readonly string[] = [],
): Promise<number | null> {
  if (to < from) return 0;
  const { messages, bytes } = await sumOf(scope, from, to, days);
  if (messages === to - from + 1) return bytes;
  return days.length === 0 ? null : added(scope, from, to);
}

async function sumOf(
  { session, table, stream }: SumScope,
  from: number,
  to: number,
  days: readonly string[] = [],
) {
  const { table: name, serial, size, own } = SHOWN[stream.address.kind];
  const kept = days.length > 0 ? 'and c.keep_day between $5::date and $6::date' : '';
  // Order and limit select the intended index: with outdated statistics, a few rows at the head might be searched
  // among the whole stream.
  const { rows } = await session.query(
    `select count(*) as messages, sum(summed.bytes) as bytes from (
        select c.${size} as bytes from ${table(name)} c where ${own} and c.${serial} >= $3 and c.${serial} <= $4 ${kept}
          order by c.${serial} limit ${MAX_ADDED}) summed`,
    [stream.streamKey, stream.generation, from, to, ...days],
  );
  return { messages: Number(rows[0]?.['messages']), bytes: Number(rows[0]?.['bytes']) };
}
