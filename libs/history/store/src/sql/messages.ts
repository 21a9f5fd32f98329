import type { SqlRow, SqlSession } from '@carillon/database';
import type { AnnotationEvent, AnnotationSummary } from '../model/annotation.js';
import type {
  AnnotationsQuery,
  IdleStreamsQuery,
  MessagesQuery,
  OpenStream,
  SummariesQuery,
  VersionsQuery,
} from '../model/living.js';
import type { StoredMessage } from '../model/message.js';
import type { StoredRecord } from '../model/record.js';
import type { StreamAddress } from '../model/stream.js';
import { folded, keyOf } from './folded.js';
import { type MessageDialect, Values } from './message-dialect.js';
import {
  ANNOTATION_COLUMNS,
  annotationOf,
  MESSAGE_COLUMNS,
  messageOf,
  SUMMARY_COLUMNS,
  summaryOf,
} from './message-rows.js';
import { KINDS, RECORD_COLUMNS, recordOf, text } from './rows.js';
import type { Names } from './shown.js';

export async function readMessages(
  session: SqlSession,
  table: Names,
  { streamKey, generation, floorMessageSerial, nowMs, messageSerials }: MessagesQuery,
  dialect: MessageDialect,
): Promise<StoredMessage[]> {
  if (messageSerials.length === 0) return [];
  const values = new Values();
  const { rows } = await session.query(
    `select ${MESSAGE_COLUMNS}, m.data from ${table('messages')} m
      where m.stream_key = ${values.add(streamKey)}::bigint
        and m.message_serial in (${messageSerials.map((serial) => values.add(serial)).join(', ')})
        and m.generation = ${values.add(generation)} and m.history_serial >= ${values.add(floorMessageSerial)}
        and m.keep_until_ms > ${values.add(nowMs)}`,
    values.all,
  );
  const messages = rows.map(messageOf);
  const whole = await folded(session, table, { messages, stored: rows, nowMs }, dialect);
  return messages.map((message) => ({ ...message, data: whole.get(keyOf(message)) ?? { text: null } }));
}

export async function readVersions(
  session: SqlSession,
  table: Names,
  { streamKey, generation, messageSerial, sinceMs, newestFirst, after, limit }: VersionsQuery,
): Promise<StoredRecord[]> {
  const values = new Values();
  const bounds = [
    ...(sinceMs === null ? [] : [`and c.published_at_ms > ${values.add(sinceMs)}`]),
    ...(after === null ? [] : [`and c.version_serial ${newestFirst ? '<' : '>'} ${values.add(after)}`]),
  ];
  const { rows } = await session.query(
    `select ${RECORD_COLUMNS} from ${table('records')} c where c.stream_key = ${values.add(streamKey)}::bigint
      and c.generation = ${values.add(generation)} and c.message_serial = ${values.add(messageSerial)} ${bounds.join(' ')}
      order by c.version_serial ${newestFirst ? 'desc' : 'asc'} limit ${values.add(limit)}`,
    values.all,
  );
  return rows.map(recordOf);
}

export async function readAnnotations(
  session: SqlSession,
  table: Names,
  { streamKey, messageSerial, type, sinceMs, afterNo, limit }: AnnotationsQuery,
): Promise<AnnotationEvent[]> {
  const values = new Values();
  const bounds = [
    ...(messageSerial === null ? [] : [`and a.message_serial = ${values.add(messageSerial)}`]),
    ...(type === null ? [] : [`and a.type = ${values.add(type)}`]),
    ...(sinceMs === null ? [] : [`and a.at_ms > ${values.add(sinceMs)}`]),
  ];
  const { rows } = await session.query(
    `select ${ANNOTATION_COLUMNS} from ${table('annotations')} a where a.stream_key = ${values.add(streamKey)}::bigint
      and a.annotation_no > ${values.add(afterNo)} ${bounds.join(' ')}
      order by a.annotation_no limit ${values.add(limit)}`,
    values.all,
  );
  return rows.map(annotationOf);
}

export async function readSummaries(
  session: SqlSession,
  table: Names,
  { streamKey, generation, floorMessageSerial, nowMs, belowNo, messageSerials, limit }: SummariesQuery,
): Promise<AnnotationSummary[]> {
  if (messageSerials?.length === 0) return [];
  const values = new Values();
  const only = messageSerials?.map((serial) => values.add(serial)).join(', ');
  const { rows } = await session.query(
    `select ${SUMMARY_COLUMNS} from ${table('annotation_summaries')} u join ${table('messages')} m
        on m.stream_key = u.stream_key and m.message_serial = u.message_serial
      where ${only === undefined ? '' : `u.message_serial in (${only}) and`} u.stream_key = ${values.add(streamKey)}::bigint
        and m.generation = ${values.add(generation)} and m.history_serial >= ${values.add(floorMessageSerial)}
        and m.keep_until_ms > ${values.add(nowMs)}
        and u.last_no < ${values.add(belowNo ?? Number.MAX_SAFE_INTEGER)}::bigint
      order by u.last_no desc limit ${values.add(limit)}`,
    values.all,
  );
  return rows.map(summaryOf);
}

export async function readIdleStreams(
  session: SqlSession,
  table: Names,
  { lane, lanes, idleSinceMs, limit }: IdleStreamsQuery,
): Promise<OpenStream[]> {
  const { rows } = await session.query(
    `select ${MESSAGE_COLUMNS}, s.app_id, s.channel from ${table('messages')} m
        join ${table('streams')} s on s.stream_key = m.stream_key and s.generation = m.generation
      where m.is_open and m.last_activity_ms <= $1 and s.kind = ${KINDS.messages} and s.route % $2 = $3
        and m.history_serial >= s.floor_message_serial
      order by m.last_activity_ms limit $4`,
    [idleSinceMs, lanes, lane, limit],
  );
  return rows.map((row) => ({ address: addressOf(row), message: messageOf(row) }));
}

const addressOf = (row: SqlRow): StreamAddress => ({
  appId: text(row, 'app_id'),
  channel: text(row, 'channel'),
  kind: 'messages',
});
