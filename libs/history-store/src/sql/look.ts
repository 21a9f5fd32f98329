import type { SqlSession } from '@carillon/database';
import type { Below, Inspection, Purgeable } from '../model/changes.js';
import type { Stream } from '../model/stream.js';

type Names = (name: string) => string;

/** Rows of the history of one stream; `$1` and `$2` say which. */
export const HISTORY = 'c.stream_key = $1 and c.generation = $2 and c.history_serial is not null';

/** What a purge of one locked stream would take away. */
export async function findPurgeable(
  session: SqlSession,
  table: Names,
  stream: Stream,
  below: Below,
): Promise<Purgeable> {
  const { streamKey, generation, floorHistorySerial, nextHistorySerial } = stream;
  const wantedFloor = async (): Promise<number> => {
    if (below.mode === 'all') return nextHistorySerial;
    if (below.mode === 'before_serial') return Math.min(below.serial, nextHistorySerial);
    const { rows } = await session.query(
      `select c.history_serial from ${table('records')} c where ${HISTORY} and c.history_serial >= $3
        and c.published_at_ms >= $4 order by c.history_serial limit 1`,
      [streamKey, generation, floorHistorySerial, below.timeMs],
    );
    return rows[0] === undefined ? nextHistorySerial : Number(rows[0]['history_serial']);
  };
  const historyFloor = Math.max(floorHistorySerial, await wantedFloor());
  const { rows } = await session.query(
    `select count(*) as messages, coalesce(sum(c.payload_size), 0) as bytes from ${table('records')} c
      where ${HISTORY} and c.history_serial >= $3 and c.history_serial < $4`,
    [streamKey, generation, floorHistorySerial, historyFloor],
  );
  return { historyFloor, messages: Number(rows[0]?.['messages']), bytes: Number(rows[0]?.['bytes']) };
}

/** Looks through the visible rows of locked streams. */
export async function inspectAll(
  session: SqlSession,
  table: Names,
  streams: ReadonlyMap<string, Stream>,
  nowMs: number,
): Promise<Map<string, Inspection>> {
  const found = new Map<string, Inspection>();
  for (const [name, stream] of streams) found.set(name, await inspect(session, table, stream, nowMs));
  return found;
}

/** So many rows are looked at together. */
const INSPECTED_AT_ONCE = 500;

/** Looks at every visible row of a stream. */
async function inspect(
  session: SqlSession,
  table: Names,
  { streamKey, generation, floorHistorySerial }: Stream,
  nowMs: number,
): Promise<Inspection> {
  let [gap, conflict, unreadable] = [false, false, false];
  let last: number | null = null;
  for (;;) {
    const { rows } = await session.query(
      `select c.history_serial, c.payload from ${table('records')} c where ${HISTORY} and c.history_serial >= $3
        and c.history_until_ms > $4 order by c.history_serial limit ${INSPECTED_AT_ONCE}`,
      [streamKey, generation, last === null ? floorHistorySerial : last + 1, nowMs],
    );
    for (const row of rows) {
      const serial = Number(row['history_serial']);
      gap ||= last !== null && serial > last + 1;
      conflict ||= serial === last;
      unreadable ||= !readable(row['payload']);
      last = serial;
    }
    if (rows.length < INSPECTED_AT_ONCE) return { gap, conflict, unreadable };
  }
}

function readable(payload: unknown): boolean {
  try {
    return typeof JSON.parse((payload as Buffer).toString('utf8')) === 'object';
  } catch {
    return false;
  }
}
