import type { SqlSession } from '@carillon/database';
import type { Below, Found, Inspection, Purgeable, Wanted } from '../model/changes.js';
import { isReadable } from '../model/readable.js';
import type { Stream } from '../model/stream.js';
import { visibleFloor } from './floor.js';
import { countOpenBelow } from './find-messages.js';
import { readRetained } from './retained.js';
import { RECORD_COLUMNS, recordOf } from './rows.js';
import { HISTORY, type Names, SHOWN } from './shown.js';

/** Returns the rows that a purge of one locked stream would remove. */
export async function findPurgeable(
  session: SqlSession,
  table: Names,
  stream: Stream,
  below: Below,
  nowMs: number,
): Promise<Purgeable> {
  const { streamKey, generation, floorHistorySerial, nextHistorySerial, retainedMessages, retainedBytes } =
    stream;
  if (below.mode === 'all') {
    const { messages, bytes } = await readRetained(session, table, stream, nowMs);
    const stored = { messages: retainedMessages, bytes: retainedBytes };
    const openStreams = await countOpenBelow(session, table, stream, nextHistorySerial);
    return { historyFloor: nextHistorySerial, openStreams, messages, bytes, stored };
  }
  const wantedFloor = async (): Promise<number> => {
    if (below.mode === 'before_serial') return Math.min(below.serial, nextHistorySerial);
    const { rows } = await session.query(
      `select c.history_serial from ${table('records')} c where ${HISTORY} and c.history_serial >= $3
        and c.published_at_ms >= $4 order by c.history_serial limit 1`,
      [streamKey, generation, floorHistorySerial, below.timeMs],
    );
    return rows[0] === undefined ? nextHistorySerial : Number(rows[0]['history_serial']);
  };
  const historyFloor = Math.max(floorHistorySerial, await wantedFloor());
  const shownFloor = await visibleFloor(session, table, stream, nowMs);
  const isShown = 'c.history_serial >= $5 and c.history_until_ms > $6';
  const { rows } = await session.query(
    `select count(*) as messages, coalesce(sum(c.payload_size), 0) as bytes,
        coalesce(sum(case when ${isShown} then 1 else 0 end), 0) as shown,
        coalesce(sum(case when ${isShown} then c.payload_size else 0 end), 0) as shown_bytes
      from ${table('records')} c where ${HISTORY} and c.history_serial >= $3 and c.history_serial < $4`,
    [streamKey, generation, floorHistorySerial, historyFloor, shownFloor, nowMs],
  );
  const count = (name: string): number => Number(rows[0]?.[name]);
  return {
    historyFloor,
    openStreams: await countOpenBelow(session, table, stream, historyFloor),
    messages: count('shown'),
    bytes: count('shown_bytes'),
    stored: { messages: count('messages'), bytes: count('bytes') },
  };
}

/** Returns the message id of the requested record of a locked stream; nothing if none was requested. */
export async function findMessageId(
  session: SqlSession,
  table: Names,
  stream: Stream | undefined,
  { messageIdAt }: Wanted,
): Promise<Pick<Found, 'messageIdAt'>> {
  if (messageIdAt === undefined || stream === undefined) return {};
  const { rows } = await session.query(
    `select ${RECORD_COLUMNS} from ${table('records')} c
      where c.stream_key = $1 and c.generation = $2 and c.delivery_serial = $3`,
    [stream.streamKey, stream.generation, messageIdAt],
  );
  const [row] = rows;
  return { messageIdAt: row === undefined ? null : recordOf(row).messageId };
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

/** Rows inspected per statement. */
const INSPECTED_AT_ONCE = 500;

/**
 * Checks every row of a stream. Rows expire in any order and days of expired rows are removed, but every removal is
 * subtracted from the stream's counter in the same transaction. Hence a serial is missing exactly if fewer rows exist
 * than were counted; removed rows are never mistaken for it.
 */
async function inspect(
  session: SqlSession,
  table: Names,
  stream: Stream,
  nowMs: number,
): Promise<Inspection> {
  const { streamKey, generation, floorHistorySerial, retainedMessages, address } = stream;
  const { table: name, serial, own } = SHOWN[address.kind];
  const { rows } = await session.query(
    `select count(*) as messages, count(distinct c.${serial}) as serials from ${table(name)} c
      where ${own} and c.${serial} >= $3`,
    [streamKey, generation, floorHistorySerial],
  );
  const serials = Number(rows[0]?.['serials']);
  return {
    gap: serials < retainedMessages,
    conflict: serials < Number(rows[0]?.['messages']),
    unreadable: await hasUnreadable(session, table, stream, nowMs),
  };
}

/** Whether the content of a visible row is unreadable. */
async function hasUnreadable(
  session: SqlSession,
  table: Names,
  { streamKey, generation, floorHistorySerial, address }: Stream,
  nowMs: number,
): Promise<boolean> {
  const { table: name, serial, until, own, content } = SHOWN[address.kind];
  let from = floorHistorySerial;
  for (;;) {
    const { rows } = await session.query(
      `select c.${serial} as serial, c.${content} as content from ${table(name)} c where ${own} and c.${serial} >= $3
        and c.${until} > $4 order by c.${serial} limit ${INSPECTED_AT_ONCE}`,
      [streamKey, generation, from, nowMs],
    );
    if (rows.some(({ content: text }) => !isReadable(text as Buffer | null, address.kind))) return true;
    if (rows.length < INSPECTED_AT_ONCE) return false;
    from = Number(rows.at(-1)?.['serial']) + 1;
  }
}
