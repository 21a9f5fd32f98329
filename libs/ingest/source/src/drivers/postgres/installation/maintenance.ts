import { definer } from './functions.js';
import { q, type SqlNames } from './names.js';

/** Functions of operators and of the reader: grants per app, requeue of dead letters, truncation of consumed slots. */
export const maintenanceSql = ({ schema }: SqlNames): string => {
  const s = q(schema);
  return `
CREATE OR REPLACE FUNCTION ${s}.allow(role name, app text) RETURNS void ${definer()} AS $$
BEGIN
  INSERT INTO ${s}.outbox_allow (role, app) VALUES (allow.role, allow.app) ON CONFLICT DO NOTHING;
END $$;

CREATE OR REPLACE FUNCTION ${s}.requeue(dead uuid) RETURNS uuid ${definer()} AS $$
DECLARE m ${s}.outbox_meta; d ${s}.outbox_dead;
BEGIN
  SELECT * INTO m FROM ${s}.outbox_meta;
  DELETE FROM ${s}.outbox_dead WHERE id = dead RETURNING * INTO d;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'P0002', MESSAGE = format('dead letter %s does not exist', dead);
  END IF;
  RETURN ${s}._enqueue(m, d.id, d.op, d.app, d.channel, d.name, d.data, d.json, d.options);
END $$;

-- Truncates each consumed slot that is neither the current nor the next one. Returns the number of truncated slots.
CREATE OR REPLACE FUNCTION ${s}._rotate() RETURNS int ${definer()} SET lock_timeout = '50ms' AS $$
DECLARE m ${s}.outbox_meta; i int; current int; done int := 0; open boolean; filled boolean;
BEGIN
  SELECT * INTO m FROM ${s}.outbox_meta;
  current := ${s}._slot(m, clock_timestamp());
  FOR i IN 0 .. m.slots - 1 LOOP
    CONTINUE WHEN i = current OR i = (current + 1) % m.slots;
    SELECT EXISTS (SELECT FROM ${s}.outbox WHERE slot = i) INTO filled;
    CONTINUE WHEN NOT filled;
    CONTINUE WHEN ${s}._is_open(i);
    BEGIN
      EXECUTE format('LOCK TABLE ${s}.outbox_%s, ${s}.outbox_seal_%s IN ACCESS EXCLUSIVE MODE', i, i);
      IF NOT ${s}._is_open(i) THEN
        INSERT INTO ${s}.outbox_dead (id, code, status, reason, attempts, at, op, app, channel, name, data, json, options)
          SELECT o.id, 'unsealed', 409, 'the transaction was committed without a seal', 0, o.at, o.op, o.app, o.channel, o.name, o.data, o.json, o.options
          FROM ${s}.outbox o WHERE o.slot = i AND NOT EXISTS (
            SELECT FROM ${s}.outbox_seal x WHERE x.slot = i AND x.partition = o.partition AND x.txn = o.txn AND o.n BETWEEN x.first_n AND x.last_n)
          ON CONFLICT DO NOTHING;
        EXECUTE format('TRUNCATE ${s}.outbox_%s, ${s}.outbox_seal_%s', i, i);
        done := done + 1;
      END IF;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END LOOP;
  RETURN done;
END $$;

-- Whether a slot has a seal that is not yet behind the cursor of its partition.
CREATE OR REPLACE FUNCTION ${s}._is_open(i int) RETURNS boolean ${definer()} AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM ${s}.outbox_seal x JOIN ${s}.outbox_cursor c USING (partition) WHERE x.slot = i AND (x.seq > c.seq OR (x.seq = c.seq AND EXISTS (
      SELECT FROM ${s}.outbox o WHERE o.slot = i AND o.txn = x.txn AND o.partition = x.partition AND o.n > c.n AND o.n <= x.last_n))));
END $$;
`;
};
