import type { SqlRow, SqlSession } from '@carillon/database';
import { keepDay } from '../model/calendar.js';
import { fragmentOf, type MessageData, type StoredMessage, withFragments } from '../model/message.js';
import { type MessageDialect, Values } from './message-dialect.js';
import { text, utf8OrNull } from './rows.js';
import type { Names } from './shown.js';

export const keyOf = ({
  streamKey,
  messageSerial,
}: Pick<StoredMessage, 'messageSerial' | 'streamKey'>): string => `${streamKey} ${messageSerial}`;

/** Returns the snapshot of the data and its later fragments: records are immutable, so both may be read separately. */
export async function folded(
  session: SqlSession,
  table: Names,
  of: {
    readonly messages: readonly StoredMessage[];
    /** Rows with their data. */
    readonly stored: readonly SqlRow[];
    readonly nowMs: number;
  },
  dialect: MessageDialect,
): Promise<ReadonlyMap<string, MessageData>> {
  const fragments = await fragmentsOf(session, table, of, dialect);
  return new Map(
    of.stored.map((row) => {
      const key = rowKey(row);
      return [key, withFragments(utf8OrNull(row, 'data'), fragments.get(key) ?? [])];
    }),
  );
}

const rowKey = (row: SqlRow): string => `${text(row, 'stream_key')} ${text(row, 'message_serial')}`;

/** One statement for all messages, by key, in the order of their versions. */
async function fragmentsOf(
  session: SqlSession,
  table: Names,
  { messages, nowMs }: { readonly messages: readonly StoredMessage[]; readonly nowMs: number },
  dialect: MessageDialect,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const spans = messages
    .filter(({ deliverySerial, baseSerial }) => deliverySerial > baseSerial)
    .map(({ baseVersionSerial: after, versionSerial: upTo, ...message }) => ({ ...message, after, upTo }));
  const found = new Map<string, string[]>();
  if (spans.length === 0) return found;
  const values = new Values();
  const day = values.add(keepDay(nowMs));
  const { rows } = await session.query(
    `select c.stream_key, c.message_serial, c.payload from ${dialect.spans(values, table('records'), spans)}
        and c.keep_day >= ${day}::date
      order by c.stream_key, c.message_serial, c.version_serial`,
    values.all,
    dialect,
  );
  for (const row of rows) {
    const key = rowKey(row);
    const fragments = found.get(key) ?? [];
    fragments.push(fragmentOf(utf8OrNull(row, 'payload') ?? '{}'));
    found.set(key, fragments);
  }
  return found;
}
