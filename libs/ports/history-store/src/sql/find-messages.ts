import type { SqlRow, SqlScalar, SqlSession } from '@carillon/database';
import { keepDay } from '../model/calendar.js';
import type { AnnotationSummary, FoundAnnotation } from '../model/annotation.js';
import type { FoundMessages, WantedMessages } from '../model/living.js';
import {
  fragmentOf,
  type MessageData,
  reachesBase,
  type StoredMessage,
  withFragments,
} from '../model/message.js';
import { type Stream, streamName } from '../model/stream.js';
import {
  ANNOTATION_COLUMNS,
  annotationOf,
  MESSAGE_COLUMNS,
  messageOf,
  operationOf,
  SUMMARY_COLUMNS,
  summaryOf,
} from './message-rows.js';
import { text, utf8OrNull } from './rows.js';
import type { Names } from './shown.js';

/** How the two databases differ here. */
export interface MessageDialect {
  /** What a hash is compared with, for the placeholder of its hex digits. */
  readonly hash: (placeholder: string) => string;
}

/** Values with the places where they go. */
export class Values {
  readonly all: SqlScalar[] = [];

  add(value: SqlScalar): string {
    return `$${this.all.push(value)}`;
  }

  /** `(a, b), (c, d)`. The first of each is the key of a stream. */
  tuples(rows: readonly (readonly [streamKey: string, ...more: SqlScalar[]])[]): string {
    return rows
      .map(([streamKey, ...more]) => {
        const places = more.map((value) => this.add(value));
        return `(${[`${this.add(streamKey)}::bigint`, ...places].join(', ')})`;
      })
      .join(', ');
  }
}

/** Reads what a batch has to know, while its streams are locked. */
export async function findMessages(
  session: SqlSession,
  table: Names,
  wanted: WantedMessages,
  { streams, nowMs }: { readonly streams: ReadonlyMap<string, Stream>; readonly nowMs: number },
  dialect: MessageDialect,
): Promise<FoundMessages> {
  const annotations = await findAnnotations(session, table, wanted.annotations, streams);
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
  return {
    states: await findStates(session, table, wanted, streams, nowMs),
    operations: await findOperations(session, table, wanted, streams, nowMs, dialect),
    annotations,
    summaries: await findSummaries(session, table, [...summaries.values()]),
  };
}

async function findStates(
  session: SqlSession,
  table: Names,
  { states }: WantedMessages,
  streams: ReadonlyMap<string, Stream>,
  nowMs: number,
): Promise<StoredMessage[]> {
  const asked = states.flatMap((one) => {
    const stream = streams.get(streamName(one.address));
    return stream === undefined ? [] : [{ ...one, key: [stream.streamKey, one.messageSerial] as const }];
  });
  if (asked.length === 0) return [];
  const values = new Values();
  const { rows } = await session.query(
    `select ${MESSAGE_COLUMNS} from ${table('messages')} m
      where (m.stream_key, m.message_serial) in (${values.tuples(asked.map(({ key }) => key))})`,
    values.all,
  );
  const found = rows.map(messageOf);
  const wanted = new Map(asked.map((one) => [one.key.join(' '), one]));
  const needed = found.filter((message) => {
    const one = wanted.get(`${message.streamKey} ${message.messageSerial}`);
    return one !== undefined && (one.whole || reachesBase(message, one));
  });
  if (needed.length === 0) return found;
  const stored = new Values();
  const data = await session.query(
    `select m.stream_key, m.message_serial, m.data from ${table('messages')} m where (m.stream_key, m.message_serial) in
      (${stored.tuples(needed.map(({ streamKey, messageSerial }) => [streamKey, messageSerial]))})`,
    stored.all,
  );
  const whole = await folded(session, table, needed, data.rows, nowMs);
  return found.map((message) => ({ ...message, data: whole.get(keyOf(message)) ?? null }));
}

export const keyOf = ({
  streamKey,
  messageSerial,
}: Pick<StoredMessage, 'messageSerial' | 'streamKey'>): string => `${streamKey} ${messageSerial}`;

/** What is stored of the data, with the fragments behind it: records do not change, so both may be read one by one. */
export async function folded(
  session: SqlSession,
  table: Names,
  messages: readonly StoredMessage[],
  stored: readonly SqlRow[],
  nowMs: number,
): Promise<ReadonlyMap<string, MessageData>> {
  const fragments = new Map(
    await Promise.all(
      messages
        .filter(({ deliverySerial, baseSerial }) => deliverySerial > baseSerial)
        .map(async (message) => [keyOf(message), await fragmentsOf(session, table, message, nowMs)] as const),
    ),
  );
  return new Map(
    stored.map((row) => {
      const key = `${text(row, 'stream_key')} ${text(row, 'message_serial')}`;
      return [key, withFragments(utf8OrNull(row, 'data'), fragments.get(key) ?? [])];
    }),
  );
}

async function fragmentsOf(
  session: SqlSession,
  table: Names,
  { streamKey, generation, messageSerial, baseVersionSerial, versionSerial }: StoredMessage,
  nowMs: number,
): Promise<string[]> {
  const { rows } = await session.query(
    `select c.payload from ${table('records')} c where c.stream_key = $1::bigint and c.message_serial = $2
        and c.version_serial > $3 and c.version_serial <= $4 and c.generation = $5 and c.keep_day >= $6::date
      order by c.version_serial`,
    [streamKey, messageSerial, baseVersionSerial, versionSerial, generation, keepDay(nowMs)],
  );
  return rows.map((row) => fragmentOf(utf8OrNull(row, 'payload') ?? '{}'));
}

async function findOperations(
  session: SqlSession,
  table: Names,
  { operations }: WantedMessages,
  streams: ReadonlyMap<string, Stream>,
  nowMs: number,
  dialect: MessageDialect,
) {
  const values = new Values();
  const asked = operations.flatMap(({ address, hash }) => {
    const stream = streams.get(streamName(address));
    if (stream === undefined) return [];
    return [
      `c.stream_key = ${values.add(stream.streamKey)}::bigint and c.generation = ${values.add(stream.generation)} and
        c.op_hash = ${dialect.hash(values.add(hash))}`,
    ];
  });
  if (asked.length === 0) return [];
  const { rows } = await session.query(
    `select c.stream_key, c.op_hash, c.op_fingerprint, c.delivery_serial, c.version_serial, c.published_at_ms
      from ${table('records')} c where c.keep_day >= ${values.add(keepDay(nowMs))}::date
        and c.keep_until_ms > ${values.add(nowMs)} and ((${asked.join(') or (')}))`,
    values.all,
  );
  return rows.map(operationOf);
}

/** The last digits of a serial are the number of the annotation. */
const NUMBER_DIGITS = 20;

async function findAnnotations(
  session: SqlSession,
  table: Names,
  wanted: WantedMessages['annotations'],
  streams: ReadonlyMap<string, Stream>,
): Promise<FoundAnnotation[]> {
  const asked = wanted.flatMap(({ address, annotationSerial }) => {
    const number = Number(annotationSerial.slice(-NUMBER_DIGITS));
    const stream = streams.get(streamName(address));
    return stream === undefined || !Number.isSafeInteger(number) ? [] : [[stream.streamKey, number] as const];
  });
  if (asked.length === 0) return [];
  const at = (column: string, values: Values) => `(a.stream_key, a.${column}) in (${values.tuples(asked)})`;
  const [made, taken] = [new Values(), new Values()];
  const select = `select ${ANNOTATION_COLUMNS} from ${table('annotations')} a where`;
  const created = await session.query(`${select} ${at('annotation_no', made)}`, made.all);
  const deleted = await session.query(`${select} ${at('target_no', taken)}`, taken.all);
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
): Promise<AnnotationSummary[]> {
  if (keys.length === 0) return [];
  const values = new Values();
  const { rows } = await session.query(
    `select ${SUMMARY_COLUMNS} from ${table('annotation_summaries')} u
      where (u.stream_key, u.message_serial, u.type) in (${values.tuples(keys)})`,
    values.all,
  );
  return rows.map(summaryOf);
}

/** How many messages below a serial are streams that go on. */
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
