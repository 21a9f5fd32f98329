import type { SqlRow, SqlSession } from '@carillon/database';
import type { Stream } from '../model/stream.js';
import type { Retained } from '../port.js';
import { visibleFloor } from './floor.js';
import { keptDays, type Names, SHOWN } from './shown.js';
import { bytesBetween, RememberedSums } from './sums.js';
import { around } from './time-bounds.js';

const NOTHING: Retained = { oldest: null, newest: null, messages: 0, bytes: 0 };

interface Row {
  readonly serial: number;
  readonly publishedAtMs: number;
  readonly isVisible: boolean;
}

/** Serials that the wanted row is between, both inclusive. */
interface Near {
  readonly low: number;
  readonly high: number;
}

/** First step of the search beyond the remembered position. */
const STEP = 500;

/**
 * Returns the readable part of a stream, derived from its ends at a constant cost. Rows expire in serial order while
 * the policy of the channel is unchanged; after a change, rows between the ends count as visible, and rows of a
 * policy that was lengthened and shortened within a day may be omitted.
 */
export async function readRetained(
  session: SqlSession,
  table: Names,
  stream: Stream,
  nowMs: number,
  sums = new RememberedSums(),
): Promise<Retained> {
  const floor = await visibleFloor(session, table, stream, nowMs, sums);
  const ends = await new Ends(session, table, stream, nowMs, sums).find(floor);
  if (ends === null) return NOTHING;
  const { oldest, newest } = ends;
  const messages = newest.serial - oldest.serial + 1;
  const bytes = await bytesBetween({ session, table, stream, nowMs, sums }, oldest.serial, newest.serial);
  if (bytes !== null) sums.remember(stream, { from: oldest.serial, to: newest.serial, bytes });
  return {
    oldest: { serial: oldest.serial, publishedAtMs: oldest.publishedAtMs },
    newest: { serial: newest.serial, publishedAtMs: newest.publishedAtMs },
    messages,
    bytes:
      bytes ?? Math.round((stream.retainedBytes * messages) / Math.max(messages, stream.retainedMessages)),
  };
}

/** Looks for the oldest and the newest row of a stream that are visible. */
class Ends {
  readonly #columns: string;
  readonly #rows: string;

  constructor(
    private readonly session: SqlSession,
    table: Names,
    private readonly stream: Stream,
    private readonly nowMs: number,
    private readonly sums: RememberedSums,
  ) {
    const { table: name, serial, at, until, own } = SHOWN[stream.address.kind];
    this.#columns = `c.${serial} as serial, c.${at} as at, c.${until} as until`;
    this.#rows = `from ${table(name)} c where ${own} and c.${serial} >= $3 and c.${serial} <= $4
      and c.keep_day between $5::date and $6::date`;
  }

  async find(floor: number): Promise<{ readonly oldest: Row; readonly newest: Row } | null> {
    const head = this.stream.nextHistorySerial - 1;
    const [first, last] = await this.#ask(floor, head, ['asc', 'desc']);
    if (first === undefined || last === undefined) return null;
    if (first.isVisible && last.isVisible) return { oldest: first, newest: last };
    if (!first.isVisible && !last.isVisible) return null;
    const look = async (serial: number) => (await this.#ask(serial, head, ['asc']))[0] ?? null;
    const isBefore = (row: Row) => row.isVisible === first.isVisible;
    const near = first.isVisible ? null : await this.#near(look, last.serial);
    const [from, to] = await around(look, near?.low ?? first.serial, near?.high ?? last.serial, isBefore);
    const [found] = await this.#ask(from, to, [first.isVisible ? 'desc' : 'asc'], true);
    if (found === undefined) return null;
    return first.isVisible ? { oldest: first, newest: found } : { oldest: found, newest: last };
  }

  /** Finds the oldest row near its remembered position. */
  async #near(look: (serial: number) => Promise<Row | null>, last: number): Promise<Near | null> {
    let low = this.sums.beginning(this.stream);
    if (low === null) return null;
    for (let step = STEP; low + step < last; step *= 2) {
      const row = await look(low + step);
      if (row === null || row.isVisible) return { low, high: row?.serial ?? last };
      low = row.serial;
    }
    return low < last ? { low, high: last } : null;
  }

  /** The first row in each of those orders. */
  async #ask(
    from: number,
    to: number,
    orders: readonly ('asc' | 'desc')[],
    onlyVisible = false,
  ): Promise<readonly Row[]> {
    const { serial, until } = SHOWN[this.stream.address.kind];
    const { streamKey, generation } = this.stream;
    const visible = onlyVisible ? `and c.${until} > $7` : '';
    const { rows } = await this.session.query(
      orders
        .map(
          (order) =>
            `(select ${this.#columns} ${this.#rows} ${visible} order by c.${serial} ${order} limit 1)`,
        )
        .join(' union all '),
      [
        streamKey,
        generation,
        from,
        to,
        ...keptDays(this.stream, this.nowMs),
        ...(onlyVisible ? [this.nowMs] : []),
      ],
    );
    return rows.map((row) => this.#rowOf(row)).sort((one, other) => one.serial - other.serial);
  }

  #rowOf(row: SqlRow): Row {
    return {
      serial: Number(row['serial']),
      publishedAtMs: Number(row['at']),
      isVisible: Number(row['until']) > this.nowMs,
    };
  }
}
