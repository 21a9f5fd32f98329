import { definer } from './functions.js';
import { q, type SqlNames } from './names.js';

/** Format of the setting `<schema>.txn`: transaction id, first n, partitions, as `700:12:,3,17,`. */
const SLOT_TABLES = [0, 1, 2, 3];

/**
 * Insertion and the seal at commit. The seal takes the lock of each partition in ascending order, then one value of
 * `outbox_seq`: the locks are released after the transaction has become visible, so a lower `seq` of a partition is always
 * visible before a higher one.
 */
export const sealSql = ({ schema }: SqlNames): string => {
  const s = q(schema);
  const setting = `'${schema}.txn'`;
  return `
-- Records that the current transaction has events of these partitions.
CREATE OR REPLACE FUNCTION ${s}._note(first_n bigint, partitions int[]) RETURNS void ${definer()} AS $$
DECLARE
  noted text := coalesce(current_setting(${setting}, true), '');
  mine text := pg_current_xact_id()::text || ':';
  p int;
BEGIN
  IF NOT starts_with(noted, mine) THEN noted := mine || first_n || ':,'; END IF;
  FOREACH p IN ARRAY partitions LOOP
    IF strpos(noted, ',' || p || ',') = 0 THEN noted := noted || p || ','; END IF;
  END LOOP;
  PERFORM set_config(${setting}, noted, true);
END $$;

CREATE OR REPLACE FUNCTION ${s}._is_lead() RETURNS boolean ${definer('STABLE')} AS $$
BEGIN
  RETURN NOT starts_with(coalesce(current_setting(${setting}, true), ''), pg_current_xact_id()::text || ':');
END $$;

CREATE OR REPLACE FUNCTION ${s}._enqueue(m ${s}.outbox_meta, id uuid, op text, app text, channel text, name text, data text, json boolean, options jsonb)
RETURNS uuid ${definer()} AS $$
DECLARE
  n bigint := nextval('${schema}.outbox_n');
  p int := ${s}._partition(app, coalesce(channel, id::text), m.partitions);
  lead boolean := ${s}._is_lead();
BEGIN
  -- Before the insertion: with immediate constraints the seal is made within it.
  PERFORM ${s}._note(n, ARRAY[p]);
  INSERT INTO ${s}.outbox (slot, partition, n, txn, lead, id, op, app, channel, name, data, json, options)
  VALUES (${s}._slot(m, now()), p, n, pg_current_xact_id(), lead, id, op, app, channel, name, data, json, options);
  RETURN id;
END $$;

CREATE OR REPLACE FUNCTION ${s}._seal() RETURNS trigger ${definer()} AS $$
DECLARE
  noted text[] := string_to_array(coalesce(current_setting(${setting}, true), ''), ':');
  key int := ${s}._key();
  parts int[];
  first bigint;
  last bigint;
  p int;
  s bigint;
  asleep text := '';
BEGIN
  IF noted[1] = NEW.txn::text AND noted[2] = NEW.n::text THEN
    SELECT array_agg(x::int ORDER BY x::int) INTO parts
      FROM unnest(string_to_array(trim(both ',' from noted[3]), ',')) x;
    first := NEW.n;
    last := currval('${schema}.outbox_n');
  ELSE
    SELECT array_agg(DISTINCT o.partition ORDER BY o.partition), min(o.n), max(o.n) INTO parts, first, last
      FROM ${s}.outbox o
      WHERE o.txn = NEW.txn AND o.slot = NEW.slot AND NOT EXISTS (
        SELECT FROM ${s}.outbox_seal x
        WHERE x.slot = o.slot AND x.partition = o.partition AND x.txn = o.txn AND o.n BETWEEN x.first_n AND x.last_n);
    IF parts IS NULL THEN RETURN NULL; END IF;
  END IF;
  FOREACH p IN ARRAY parts LOOP PERFORM pg_advisory_xact_lock(key, p); END LOOP;
  s := nextval('${schema}.outbox_seq');
  INSERT INTO ${s}.outbox_seal (slot, partition, seq, txn, first_n, last_n)
    SELECT NEW.slot, x, s, NEW.txn, first, last FROM unnest(parts) x;
  FOREACH p IN ARRAY parts LOOP
    IF NOT pg_try_advisory_xact_lock_shared(key, 1000 + p) THEN asleep := asleep || p || ','; END IF;
  END LOOP;
  IF asleep <> '' THEN PERFORM pg_notify('${schema}_outbox', rtrim(asleep, ',')); END IF;
  PERFORM set_config(${setting}, '', true);
  RETURN NULL;
END $$;

DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgname = 'outbox_seal' AND tgrelid = '${schema}.outbox'::regclass) THEN
    CREATE CONSTRAINT TRIGGER outbox_seal AFTER INSERT ON ${s}.outbox
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.lead) EXECUTE FUNCTION ${s}._seal();
  END IF;
END $$;
${['outbox', ...SLOT_TABLES.map((slot) => `outbox_${slot}`)]
  .map((table) => `ALTER TABLE ${s}.${table} ENABLE ALWAYS TRIGGER outbox_seal;`)
  .join('\n')}
`;
};
