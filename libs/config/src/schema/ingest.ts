import {
  bool,
  bound,
  enumeration,
  list,
  map,
  notEmpty,
  optional,
  rows,
  secret,
  string,
  table,
  u64,
} from '../kernel/index.js';
import type { Bound } from '../kernel/node.js';

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const IDENTIFIER = /^[a-z_][a-z0-9_]{0,47}$/;

const sourceName: Bound<string> = bound('[a-z][a-z0-9-]{0,31}', (value) =>
  NAME.test(value) ? null : 'must match [a-z][a-z0-9-]{0,31}',
);
const schemaName: Bound<string> = bound('a lower-case identifier', (value) =>
  IDENTIFIER.test(value) ? null : `invalid identifier "${value}"`,
);
const text = (meaning: string) => optional(string({ default: null, notEmpty: true, meaning }));
const number = (initial: number, min: number, max: number, meaning: string, unit?: string) =>
  u64({ default: initial, min, max, meaning, ...(unit === undefined ? {} : { unit }) });

/** Types of sources. */
const INGEST_TYPES = ['postgres', 'kafka', 'nats', 'redis', 'rabbitmq'] as const;

const common = {
  name: string({ default: '', bounds: [sourceName], meaning: 'Name in metrics, logs and variables; unique' }),
  type: enumeration({ values: INGEST_TYPES, default: 'postgres', meaning: 'Kind of the source' }),
  enabled: bool({ default: true, meaning: 'Whether the source is read' }),
  app: string({ default: '', bounds: [notEmpty], meaning: 'App of every event that names none' }),
  apps: list({ default: [], meaning: 'Further apps that events may name' }),
  url: optional(
    secret({
      default: null,
      notEmpty: true,
      meaning: 'Address with credentials of `postgres`, `redis` and `rabbitmq`; variable `INGEST_<NAME>_URL`',
    }),
  ),
  batch_size: number(500, 1, 5000, 'Events of one fetch and partition'),
  max_in_flight: number(1000, 1, 100_000, 'Events fetched and not yet accepted'),
  max_in_flight_bytes: number(16_777_216, 65_536, 1_073_741_824, 'Their size', 'bytes'),
  idempotency_ttl_seconds: number(3600, 60, 86_400, 'How long the key of an event is remembered', 's'),
  retry_base_ms: number(100, 1, 60_000, 'Wait after the first failed attempt; doubles, ±20 %', 'ms'),
  retry_max_ms: number(5000, 1, 600_000, 'Longest wait between two attempts', 'ms'),
  max_attempts: number(10, 1, 1000, 'Attempts answered with 500 before an event is a dead letter'),
  lag_degraded_seconds: number(60, 1, 86_400, 'Age of the oldest event above which `/up` is `DEGRADED`', 's'),
};

const postgres = {
  schema: string({ default: 'carillon', bounds: [schemaName], meaning: '`postgres`: schema of the outbox' }),
  install_url: optional(
    secret({
      default: null,
      notEmpty: true,
      meaning: '`postgres`: address that `--install` uses; unset = `url`',
    }),
  ),
  poll_interval_ms: number(1000, 100, 60_000, '`postgres`: longest time between two fetches', 'ms'),
  busy_poll_ms: number(3, 1, 100, '`postgres`: time between two fetches while events arrive', 'ms'),
  session_timeout_ms: number(
    5000,
    2000,
    60_000,
    '`postgres`: silence after which a session and its partitions are lost',
    'ms',
  ),
  max_ahead: number(10_000, 1, 1_000_000, '`postgres`: events of a partition ahead of its cursor'),
  message_map_days: number(
    30,
    0,
    36_500,
    '`postgres`: how long `id:` references are kept; 0 = for ever',
    'd',
  ),
  dead_letter_days: number(30, 0, 36_500, '`postgres`: how long dead letters are kept; 0 = for ever', 'd'),
  rotate_seconds: number(600, 60, 86_400, '`postgres`: time slot whose rows are truncated together', 's'),
};

const consumers = {
  format: optional(
    enumeration({
      values: ['command', 'raw', 'template'],
      default: null,
      meaning: 'Consumers: form of a payload; unset = `raw` with the headers of it, else `command`',
    }),
  ),
  map: table({
    channel: text('Template of the channel'),
    event: text('Template of the event name'),
    data: text('Template of the data; unset = the whole payload'),
    message_id: text('Template of the message id'),
    idempotency_key: text('Template of the idempotency key'),
    op_id: text('Template of the operation id'),
    message: text('Template of the message serial'),
    op: optional(
      enumeration({
        values: ['publish', 'append', 'update', 'delete', 'push'],
        default: null,
        meaning: 'Operation, a constant; unset = `publish`',
      }),
    ),
    extras: map({ default: {}, meaning: 'Templates of the members of `extras`' }),
    tags: map({ default: {}, meaning: 'Templates of tags' }),
  }),
  dead_letter: table({
    topic: text('`kafka`: topic of dead letters'),
    subject: text('`nats`: subject of dead letters, in a stream'),
    stream: text('`redis`: stream of dead letters'),
    exchange: optional(
      string({ default: null, meaning: '`rabbitmq`: exchange of dead letters; empty = the default one' }),
    ),
    routing_key: text('`rabbitmq`: routing key of dead letters'),
  }),
  on_bad: enumeration({
    values: ['dead_letter', 'drop'],
    default: 'dead_letter',
    meaning: 'Consumers: what becomes of a message that cannot be published',
  }),
  ordered: bool({
    default: true,
    meaning: 'Consumers: keep the order per channel; off: any number of processes share the work',
  }),
  stream: text('`nats`, `redis`: stream'),
  queue: text('`rabbitmq`: queue, with `x-single-active-consumer` for order'),
  prefetch: optional(
    u64({ default: null, min: 1, max: 65_535, meaning: '`rabbitmq`: prefetch; unset = `max_in_flight`' }),
  ),
  subject: text('`nats`: subject of the stream; unset = all'),
  group: text('`kafka`, `redis`: consumer group; unset = `carillon-<name>` and `carillon`'),
  brokers: list({ default: [], meaning: '`kafka`: brokers, `host:port`' }),
  topics: list({ default: [], meaning: '`kafka`: topics' }),
  servers: list({ default: [], meaning: '`nats`: servers' }),
  durable: text('`nats`: durable consumer; unset = `carillon-<name>`'),
  username: text('`nats`, `kafka`: user'),
  password: optional(secret({ default: null, meaning: '`nats`, `kafka`: password' })),
  security_protocol: text(
    '`kafka`: `plaintext`, `ssl`, `sasl_plaintext` or `sasl_ssl`; unset = by `username`',
  ),
  sasl_mechanism: text('`kafka`: `plain`, `scram-sha-256` or `scram-sha-512`; unset = `plain`'),
  token: optional(secret({ default: null, meaning: '`nats`: token instead of user and password' })),
};

/** Publishing from databases and streams of users. */
export const ingest = table({
  sources: rows({
    row: table({ ...common, ...postgres, ...consumers }),
    specialEnv: ['INGEST_SOURCES_JSON', 'INGEST_<NAME>_URL'],
    meaning: 'Databases and streams to publish from; `INGEST_SOURCES_JSON` (secret) replaces the list',
  }),
});
