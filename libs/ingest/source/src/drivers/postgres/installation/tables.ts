import { q, type SqlNames } from './names.js';

const SLOTS = [0, 1, 2, 3];

/** Rows of one slot are deleted together, by TRUNCATE, so that neither table needs vacuum. */
const slots = (s: string, table: string): string =>
  SLOTS.map(
    (slot) =>
      `CREATE TABLE IF NOT EXISTS ${s}.${table}_${slot} PARTITION OF ${s}.${table} FOR VALUES IN (${slot});`,
  ).join('\n');

/**
 * Tables and sequences. `outbox.n` is the call order within a transaction; `outbox_seal.seq` is the commit order within
 * a partition, see `seal.ts`.
 */
export const tablesSql = ({ schema, partitions }: SqlNames): string => {
  const s = q(schema);
  return `
CREATE TABLE IF NOT EXISTS ${s}.outbox_meta (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version int NOT NULL,
  partitions int NOT NULL,
  slots int NOT NULL,
  rotate_seconds int NOT NULL,
  channel_bytes int NOT NULL DEFAULT 200,
  event_bytes int NOT NULL DEFAULT 200,
  data_bytes int NOT NULL DEFAULT 1048576
);
CREATE SEQUENCE IF NOT EXISTS ${s}.outbox_n AS bigint CACHE 32;
CREATE SEQUENCE IF NOT EXISTS ${s}.outbox_seq AS bigint CACHE 1;

CREATE TABLE IF NOT EXISTS ${s}.outbox (
  slot smallint NOT NULL,
  partition int NOT NULL,
  n bigint NOT NULL,
  txn xid8 NOT NULL,
  lead boolean NOT NULL,
  id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  op text NOT NULL,
  app text NOT NULL,
  channel text,
  name text,
  data text,
  json boolean NOT NULL,
  options jsonb NOT NULL
) PARTITION BY LIST (slot);
${slots(s, 'outbox')}
CREATE INDEX IF NOT EXISTS outbox_order ON ${s}.outbox (txn, partition, n);

CREATE TABLE IF NOT EXISTS ${s}.outbox_seal (
  slot smallint NOT NULL,
  partition int NOT NULL,
  seq bigint NOT NULL,
  txn xid8 NOT NULL,
  first_n bigint NOT NULL,
  last_n bigint NOT NULL
) PARTITION BY LIST (slot);
${slots(s, 'outbox_seal')}
CREATE INDEX IF NOT EXISTS outbox_seal_order ON ${s}.outbox_seal (partition, seq);

CREATE TABLE IF NOT EXISTS ${s}.outbox_cursor (
  partition int PRIMARY KEY,
  seq bigint NOT NULL DEFAULT 0,
  n bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 20);
CREATE TABLE IF NOT EXISTS ${s}.outbox_dead (
  id uuid PRIMARY KEY,
  failed_at timestamptz NOT NULL DEFAULT now(),
  code text NOT NULL,
  status int NOT NULL,
  reason text NOT NULL,
  attempts int NOT NULL,
  at timestamptz NOT NULL,
  op text NOT NULL,
  app text NOT NULL,
  channel text,
  name text,
  data text,
  json boolean NOT NULL,
  options jsonb NOT NULL
);
CREATE INDEX IF NOT EXISTS outbox_dead_age ON ${s}.outbox_dead (failed_at);
CREATE TABLE IF NOT EXISTS ${s}.outbox_messages (
  app text NOT NULL,
  channel text NOT NULL,
  message_id text NOT NULL,
  message_serial text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (app, channel, message_id)
);
CREATE INDEX IF NOT EXISTS outbox_messages_age ON ${s}.outbox_messages (at);
CREATE TABLE IF NOT EXISTS ${s}.outbox_allow (role name NOT NULL, app text NOT NULL, PRIMARY KEY (role, app));
CREATE TABLE IF NOT EXISTS ${s}.outbox_secret (one boolean PRIMARY KEY DEFAULT true CHECK (one), k bytea NOT NULL);

INSERT INTO ${s}.outbox_cursor (partition) SELECT g FROM generate_series(0, ${partitions - 1}) g ON CONFLICT DO NOTHING;
INSERT INTO ${s}.outbox_secret (k) SELECT sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea)
  ON CONFLICT DO NOTHING;
`;
};
