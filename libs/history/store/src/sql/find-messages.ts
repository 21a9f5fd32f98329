import type { SqlSession } from '@carillon/database';
import { keepDay } from '../model/calendar.js';
import type { AnnotationSummary, FoundAnnotation, FoundSummary } from '../model/annotation.js';
import {
  type AnnotationTypes,
  type FoundMessages,
  type KnownSummary,
  needsData,
  type WantedMessages,
} from '../model/living.js';
import type { MessageData, StoredMessage } from '../model/message.js';
import { type Stream, streamName } from '../model/stream.js';
import {
  ANNOTATION_COLUMNS,
  annotationOf,
  isOverwritten,
  MESSAGE_COLUMNS,
  messageOf,
  operationOf,
  summaryOf,
} from './message-rows.js';
import { folded, keyOf } from './folded.js';
import { type MessageDialect, Values } from './message-dialect.js';
import { readAnnotations } from './messages.js';
import { text } from './rows.js';
import type { Names } from './shown.js';

/** Reads the message state that a batch requires while its streams are locked. */
export async function findMessages(
  session: SqlSession,
  table: Names,
  wanted: WantedMessages,
  { streams, nowMs }: { readonly streams: ReadonlyMap<string, Stream>; readonly nowMs: number },
  dialect: MessageDialect,
): Promise<FoundMessages> {
  const annotations = await findAnnotations(session, table, wanted.annotations, streams, dialect);
  const summaries = new Map<string, readonly [string, string, string]>();
  for (const { address, messageSerial, type } of wanted.summaries) {
    const stream = streams.get(streamName(address));
    if (stream !== undefined)
      summaries.set(`${stream.streamKey} ${messageSerial} ${type}`, [stream.streamKey, messageSerial, type]);
  }
  for (const {
    created: { streamKey, messageSerial, type },
  } of annotations)
    summaries.set(`${streamKey} ${messageSerial} ${type}`, [streamKey, messageSerial, type]);
  const found = await findSummaries(session, table, [...summaries.values()], wanted.known, dialect);
  for (const { streamKey, messageSerial, type } of found)
    summaries.delete(`${streamKey} ${messageSerial} ${type}`);
  return {
    states: await findStates(session, table, wanted, { streams, nowMs }, dialect),
    operations: await findOperations(session, table, wanted, streams, nowMs, dialect),
    annotations,
    summaries: found,
    types: await countTypes(session, table, [...summaries.values()], dialect),
  };
}

async function findStates(
  session: SqlSession,
  table: Names,
  { states }: WantedMessages,
  { streams, nowMs }: { readonly streams: ReadonlyMap<string, Stream>; readonly nowMs: number },
  dialect: MessageDialect,
): Promise<StoredMessage[]> {
  const asked = states.flatMap((one) => {
    const stream = streams.get(streamName(one.address));
    return stream === undefined
      ? []
      : [{ ...one, stream, key: [stream.streamKey, one.messageSerial] as const }];
  });
  if (asked.length === 0) return [];
  const values = new Values();
  const { rows } = await session.query(
    `select ${MESSAGE_COLUMNS} from ${table('messages')} m
      where (m.stream_key, m.message_serial) in (${dialect.places(
        values,
        ['text'],
        asked.map(({ key }) => key),
      )})`,
    values.all,
    dialect,
  );
  const found = rows.map(messageOf);
  const wanted = new Map(asked.map((one) => [one.key.join(' '), one]));
  const needed = found.filter((message) => {
    const one = wanted.get(`${message.streamKey} ${message.messageSerial}`);
    return one !== undefined && needsData(message, one, { stream: one.stream, nowMs });
  });
  const whole = await findData(session, table, { messages: needed, nowMs }, dialect);
  return found.map((message) => ({ ...message, data: whole.get(keyOf(message)) ?? null }));
}

/** The data of messages as far as the versions that they are in, by `keyOf`. */
export async function findData(
  session: SqlSession,
  table: Names,
  { messages, nowMs }: { readonly messages: readonly StoredMessage[]; readonly nowMs: number },
  dialect: MessageDialect,
): Promise<ReadonlyMap<string, MessageData>> {
  if (messages.length === 0) return new Map();
  const values = new Values();
  const { rows } = await session.query(
    `select m.stream_key, m.message_serial, m.data from ${table('messages')} m where (m.stream_key, m.message_serial) in
      (${dialect.places(
        values,
        ['text'],
        messages.map(({ streamKey, messageSerial }) => [streamKey, messageSerial]),
      )})`,
    values.all,
    dialect,
  );
  return folded(session, table, { messages, stored: rows, nowMs }, dialect);
}

async function findOperations(
  session: SqlSession,
  table: Names,
  { operations }: WantedMessages,
  streams: ReadonlyMap<string, Stream>,
  nowMs: number,
  dialect: MessageDialect,
) {
  const generations = new Map<string, number>();
  const asked = operations.flatMap(({ address, hash }) => {
    const stream = streams.get(streamName(address));
    if (stream === undefined) return [];
    generations.set(stream.streamKey, stream.generation);
    return [[stream.streamKey, hash] as const];
  });
  if (asked.length === 0) return [];
  const values = new Values();
  const [day, now] = [values.add(keepDay(nowMs)), values.add(nowMs)];
  const { rows } = await session.query(
    `select c.stream_key, c.generation, c.op_hash, c.op_fingerprint, c.delivery_serial, c.version_serial, c.published_at_ms
      from ${table('records')} c where c.keep_day >= ${day}::date and c.keep_until_ms > ${now}
        and (c.stream_key, c.op_hash) in (${dialect.places(values, ['bytes'], asked)})`,
    values.all,
    dialect,
  );
  return rows
    .filter((row) => generations.get(text(row, 'stream_key')) === Number(row['generation']))
    .map(operationOf);
}

/** The last digits of a serial are the number of the annotation. */
const NUMBER_DIGITS = 20;

async function findAnnotations(
  session: SqlSession,
  table: Names,
  wanted: WantedMessages['annotations'],
  streams: ReadonlyMap<string, Stream>,
  dialect: MessageDialect,
): Promise<FoundAnnotation[]> {
  const asked = wanted.flatMap(({ address, annotationSerial }) => {
    const number = Number(annotationSerial.slice(-NUMBER_DIGITS));
    const stream = streams.get(streamName(address));
    return stream === undefined || !Number.isSafeInteger(number)
      ? []
      : [[stream.streamKey, String(number)] as const];
  });
  if (asked.length === 0) return [];
  const at = (column: string, values: Values) =>
    `(a.stream_key, a.${column}) in (${dialect.places(values, ['number'], asked)})`;
  const [made, taken] = [new Values(), new Values()];
  const select = `select ${ANNOTATION_COLUMNS} from ${table('annotations')} a where`;
  const created = await session.query(`${select} ${at('annotation_no', made)}`, made.all, dialect);
  const deleted = await session.query(`${select} ${at('target_no', taken)}`, taken.all, dialect);
  const takenBack = new Map(
    deleted.rows.map(annotationOf).map((event) => [`${event.streamKey} ${event.targetNo ?? 0}`, event]),
  );
  return created.rows.map(annotationOf).map((event) => ({
    created: event,
    deleted: takenBack.get(`${event.streamKey} ${event.annotationNo}`) ?? null,
  }));
}

async function findSummaries(
  session: SqlSession,
  table: Names,
  keys: readonly (readonly [string, string, string])[],
  known: readonly KnownSummary[],
  dialect: MessageDialect,
): Promise<FoundSummary[]> {
  if (keys.length === 0) return [];
  const values = new Values();
  const isKnown =
    known.length === 0
      ? 'false'
      : `(u.stream_key, u.message_serial, u.type, u.last_no) in (${dialect.places(
          values,
          ['text', 'text', 'number'],
          known.map((one) => [one.streamKey, one.messageSerial, one.type, String(one.lastNo)]),
        )})`;
  const { rows } = await session.query(
    `select u.stream_key, u.message_serial, u.type, u.last_no, u.changed_at_ms,
        case when ${isKnown} then null else u.summary end as summary,
        case when ${isKnown} then null else u.since end as since from ${table('annotation_summaries')} u
      where (u.stream_key, u.message_serial, u.type) in (${dialect.places(values, ['text', 'text'], keys)})`,
    values.all,
    dialect,
  );
  const found: FoundSummary[] = [];
  for (const row of rows) {
    const summary = summaryOf(row);
    if (row['summary'] === null) found.push({ ...summary, summary: null });
    else found.push(isOverwritten(row) ? await addedUpAgain(session, table, summary) : summary);
  }
  return found;
}

/** The number of types of each message that has no summary of a type yet. */
async function countTypes(
  session: SqlSession,
  table: Names,
  missing: readonly (readonly [string, string, string])[],
  dialect: MessageDialect,
): Promise<AnnotationTypes[]> {
  if (missing.length === 0) return [];
  const messages = new Map(missing.map(([key, serial]) => [`${key} ${serial}`, [key, serial] as const]));
  const values = new Values();
  const { rows } = await session.query(
    `select u.stream_key, u.message_serial, count(*) as types from ${table('annotation_summaries')} u
      where (u.stream_key, u.message_serial) in (${dialect.places(values, ['text'], [...messages.values()])})
      group by u.stream_key, u.message_serial`,
    values.all,
    dialect,
  );
  return rows.map((row) => ({
    streamKey: text(row, 'stream_key'),
    messageSerial: text(row, 'message_serial'),
    count: Number(row['types']),
  }));
}

/** Recomputes a summary from all annotations. Happens once per overwritten summary, regardless of their number. */
async function addedUpAgain(
  session: SqlSession,
  table: Names,
  summary: AnnotationSummary,
): Promise<FoundSummary> {
  const { streamKey, messageSerial, type } = summary;
  const all = { sinceMs: null, afterNo: 0, limit: Number.MAX_SAFE_INTEGER };
  const since = await readAnnotations(session, table, { streamKey, messageSerial, type, ...all });
  return { ...summary, summary: '{}', since };
}

/** Returns the number of open messages below a serial. */
export async function countOpenBelow(
  session: SqlSession,
  table: Names,
  { streamKey, generation, floorMessageSerial }: Stream,
  below: number,
): Promise<number> {
  const { rows } = await session.query(
    `select count(*) as open from ${table('messages')} m where m.stream_key = $1 and m.generation = $2
      and m.history_serial >= $3 and m.history_serial < $4 and m.is_open`,
    [streamKey, generation, floorMessageSerial, below],
  );
  return Number(rows[0]?.['open'] ?? 0);
}
