import { definer } from './functions.js';
import { q, type SqlNames } from './names.js';

/**
 * Functions that check and place one event. `_violation` returns NULL or the SQLSTATE and the message of the first broken
 * rule, joined by a space, so that `publish_batch` can put the index of the item in front of it.
 */
export const checksSql = ({ schema }: SqlNames): string => {
  const s = q(schema);
  return `
CREATE OR REPLACE FUNCTION ${s}._violation(m ${s}.outbox_meta, app text, channel text, event text, data text, options jsonb, allowed text[])
RETURNS text ${definer('STABLE')} AS $$
DECLARE
  missing text := CASE WHEN app IS NULL THEN 'app' WHEN channel IS NULL THEN 'channel' WHEN event IS NULL THEN 'event' END;
  unknown text;
BEGIN
  IF missing IS NOT NULL THEN RETURN '22004 ' || missing || ' must not be null'; END IF;
  IF octet_length(app) NOT BETWEEN 1 AND 128 THEN
    RETURN format('22023 app id has %s bytes, 1 to 128 allowed', octet_length(app));
  END IF;
  IF octet_length(channel) > m.channel_bytes THEN
    RETURN format('54000 channel name has %s bytes, at most %s allowed', octet_length(channel), m.channel_bytes);
  END IF;
  IF channel !~ '^[-A-Za-z0-9_=@,;.:#]+$' THEN
    RETURN '22023 channel "' || channel || '" is empty or has characters outside A-Z a-z 0-9 - _ = @ , ; . : #';
  END IF;
  IF event = '' THEN RETURN '22023 event must not be empty'; END IF;
  IF octet_length(event) > m.event_bytes THEN
    RETURN format('54000 event name has %s bytes, at most %s allowed', octet_length(event), m.event_bytes);
  END IF;
  IF octet_length(data) > m.data_bytes THEN
    RETURN format('54000 data has %s bytes, at most %s allowed', octet_length(data), m.data_bytes);
  END IF;
  IF options = '{}'::jsonb THEN RETURN NULL; END IF;
  IF options IS NULL OR jsonb_typeof(options) <> 'object' THEN RETURN '22023 options must be a JSON object'; END IF;
  SELECT k INTO unknown FROM jsonb_object_keys(options) k WHERE k <> ALL (allowed) LIMIT 1;
  IF unknown IS NOT NULL THEN RETURN '22023 option "' || unknown || '" is unknown'; END IF;
  IF octet_length(options::text) > m.data_bytes THEN
    RETURN format('54000 options have %s bytes, at most %s allowed', octet_length(options::text), m.data_bytes);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION ${s}._refuse(violation text, prefix text DEFAULT '') RETURNS void ${definer()} AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = split_part(violation, ' ', 1), MESSAGE = prefix || substr(violation, strpos(violation, ' ') + 1);
END $$;

-- The role of the session, not of the function: SECURITY DEFINER leaves session_user alone.
CREATE OR REPLACE FUNCTION ${s}._refusal_of_role(app text) RETURNS text ${definer('STABLE')} AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM ${s}.outbox_allow) OR EXISTS (
    SELECT FROM ${s}.outbox_allow a JOIN pg_roles r ON r.rolname = a.role
    WHERE a.app = _refusal_of_role.app AND pg_has_role(session_user, r.oid, 'MEMBER')
  ) THEN RETURN NULL; END IF;
  RETURN format('42501 role "%s" may not publish for app "%s"', session_user, app);
END $$;

CREATE OR REPLACE FUNCTION ${s}._partition(app text, channel text, partitions int) RETURNS int
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT (get_byte(h, 0) * 256 + get_byte(h, 1)) % partitions
  FROM sha256(convert_to(app || chr(31) || coalesce(channel, ''), 'UTF8')) h
$$;

CREATE OR REPLACE FUNCTION ${s}._slot(m ${s}.outbox_meta, at timestamptz) RETURNS smallint
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT (floor(extract(epoch FROM at) / m.rotate_seconds)::bigint % m.slots)::smallint
$$;

-- First key of the two-key advisory locks; an oid above 2^31 wraps.
CREATE OR REPLACE FUNCTION ${s}._key() RETURNS int ${definer('STABLE')} AS $$
DECLARE o bigint := '${schema}.outbox'::regclass::oid::bigint;
BEGIN
  RETURN (CASE WHEN o > 2147483647 THEN o - 4294967296 ELSE o END)::int;
END $$;
`;
};
