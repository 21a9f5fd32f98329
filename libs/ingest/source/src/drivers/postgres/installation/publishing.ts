import { definer, optionNames } from './functions.js';
import { q, type SqlNames } from './names.js';

/** The interface of writers: one function per operation, and the batch of publishes. */
export const publishingSql = ({ schema }: SqlNames): string => {
  const s = q(schema);
  const meta = `m ${s}.outbox_meta; refused text;`;
  const check = (channel: string, event: string, data: string, names: string): string => `
  SELECT * INTO m FROM ${s}.outbox_meta;
  refused := coalesce(${s}._violation(m, app, ${channel}, ${event}, ${data}, options, ${names}), ${s}._refusal_of_role(app));
  IF refused IS NOT NULL THEN PERFORM ${s}._refuse(refused); END IF;`;
  return `
CREATE OR REPLACE FUNCTION ${s}.publish(app text, channel text, event text, data text, options jsonb DEFAULT '{}')
RETURNS uuid ${definer()} AS $$
DECLARE ${meta}
BEGIN${check('channel', 'event', 'data', optionNames('publish'))}
  RETURN ${s}._enqueue(m, gen_random_uuid(), 'publish', app, channel, event, data, false, options);
END $$;

CREATE OR REPLACE FUNCTION ${s}.publish(app text, channel text, event text, data jsonb, options jsonb DEFAULT '{}')
RETURNS uuid ${definer()} AS $$
DECLARE ${meta}
  is_text boolean := jsonb_typeof(data) = 'string';
  content text := CASE WHEN is_text THEN data #>> '{}' ELSE data::text END;
BEGIN${check('channel', 'event', 'content', optionNames('publish'))}
  RETURN ${s}._enqueue(m, gen_random_uuid(), 'publish', app, channel, event, content, NOT is_text AND data IS NOT NULL, options);
END $$;

CREATE OR REPLACE FUNCTION ${s}._batch_items(events jsonb)
RETURNS TABLE (item int, ord bigint, id uuid, channel text, name text, data text, json boolean, options jsonb)
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT (e.ord - 1)::int, row_number() OVER (ORDER BY e.ord, c.ord), gen_random_uuid(), c.channel, e.v ->> 'name',
    CASE WHEN jsonb_typeof(e.v -> 'data') = 'string' THEN e.v ->> 'data' ELSE (e.v -> 'data')::text END,
    coalesce(jsonb_typeof(e.v -> 'data'), 'string') <> 'string',
    CASE WHEN jsonb_typeof(e.v) = 'object' THEN e.v - '{channel,channels,name,data}'::text[] END
  FROM jsonb_array_elements(events) WITH ORDINALITY e (v, ord)
  LEFT JOIN LATERAL (
    SELECT x.channel, x.ord FROM jsonb_array_elements_text(
      CASE WHEN jsonb_typeof(e.v -> 'channels') = 'array' THEN e.v -> 'channels'
        ELSE jsonb_build_array(CASE WHEN jsonb_typeof(e.v) = 'object' THEN e.v -> 'channel' END) END
    ) WITH ORDINALITY x (channel, ord)
  ) c ON true
$$;

CREATE OR REPLACE FUNCTION ${s}.publish_batch(app text, events jsonb) RETURNS uuid[] ${definer()} AS $$
DECLARE ${meta}
  item int; ids uuid[]; first bigint; parts int[]; lead boolean;
  kind text := coalesce(jsonb_typeof(events), 'null');
BEGIN
  SELECT * INTO m FROM ${s}.outbox_meta;
  IF app IS NULL THEN PERFORM ${s}._refuse('22004 app must not be null'); END IF;
  IF kind <> 'array' THEN PERFORM ${s}._refuse('22023 events must be a JSON array'); END IF;
  IF jsonb_array_length(events) > 10000 THEN
    PERFORM ${s}._refuse(format('54000 events has %s items, at most 10000 allowed', jsonb_array_length(events)));
  END IF;
  refused := ${s}._refusal_of_role(app);
  IF refused IS NOT NULL THEN PERFORM ${s}._refuse(refused); END IF;
  lead := ${s}._is_lead();
  -- With immediate constraints the seal is made within the insertion, which then clears this mark.
  IF lead THEN PERFORM set_config('${schema}.txn', pg_current_xact_id()::text || ':?', true); END IF;
  WITH items AS MATERIALIZED (SELECT * FROM ${s}._batch_items(events)),
  bad AS MATERIALIZED (
    SELECT i.item, v FROM items i,
      LATERAL ${s}._violation(m, publish_batch.app, i.channel, i.name, i.data, i.options, ${optionNames('publish')}) v
    WHERE v IS NOT NULL ORDER BY i.ord LIMIT 1
  ),
  rows AS (
    INSERT INTO ${s}.outbox (slot, partition, n, txn, lead, id, op, app, channel, name, data, json, options)
    SELECT ${s}._slot(m, now()), ${s}._partition(publish_batch.app, i.channel, m.partitions), nextval('${schema}.outbox_n'),
      pg_current_xact_id(), i.ord = 1 AND lead, i.id, 'publish', publish_batch.app, i.channel, i.name, i.data, i.json, i.options
    FROM (SELECT * FROM items WHERE NOT EXISTS (SELECT FROM bad) ORDER BY ord) i
    RETURNING outbox.id, outbox.n, outbox.partition
  )
  SELECT (SELECT bad.item FROM bad), (SELECT bad.v FROM bad), array_agg(r.id ORDER BY r.n), min(r.n), array_agg(DISTINCT r.partition)
    INTO item, refused, ids, first, parts FROM rows r;
  IF refused IS NOT NULL THEN PERFORM ${s}._refuse(refused, format('events[%s]: ', item)); END IF;
  IF ids IS NULL THEN
    IF lead THEN PERFORM set_config('${schema}.txn', '', true); END IF;
    RETURN '{}';
  END IF;
  IF lead AND current_setting('${schema}.txn', true) = '' THEN RETURN ids; END IF;
  IF lead THEN PERFORM set_config('${schema}.txn', '', true); END IF;
  PERFORM ${s}._note(first, parts);
  RETURN ids;
END $$;

CREATE OR REPLACE FUNCTION ${s}.append(app text, channel text, message text, data text, options jsonb DEFAULT '{}')
RETURNS uuid ${definer()} AS $$
DECLARE ${meta}
BEGIN
  IF message IS NULL THEN PERFORM ${s}._refuse('22004 message must not be null'); END IF;
  IF data IS NULL THEN PERFORM ${s}._refuse('22004 data must not be null'); END IF;${check('channel', "'append'", 'data', optionNames('append'))}
  RETURN ${s}._enqueue(m, gen_random_uuid(), 'append', app, channel, message, data, false, options);
END $$;

CREATE OR REPLACE FUNCTION ${s}.update_message(app text, channel text, message text, changes jsonb, options jsonb DEFAULT '{}')
RETURNS uuid ${definer()} AS $$
DECLARE ${meta} unknown text;
BEGIN
  IF message IS NULL THEN PERFORM ${s}._refuse('22004 message must not be null'); END IF;
  IF changes IS NULL OR jsonb_typeof(changes) <> 'object' THEN PERFORM ${s}._refuse('22023 changes must be a JSON object'); END IF;
  SELECT k INTO unknown FROM jsonb_object_keys(changes) k WHERE k <> ALL ('{name,data,extras,clear_fields}'::text[]) LIMIT 1;
  IF unknown IS NOT NULL THEN PERFORM ${s}._refuse('22023 change "' || unknown || '" is unknown'); END IF;${check('channel', "'update'", 'changes::text', optionNames('mutation'))}
  RETURN ${s}._enqueue(m, gen_random_uuid(), 'update', app, channel, message, changes::text, true, options);
END $$;

CREATE OR REPLACE FUNCTION ${s}.delete_message(app text, channel text, message text, options jsonb DEFAULT '{}')
RETURNS uuid ${definer()} AS $$
DECLARE ${meta}
BEGIN
  IF message IS NULL THEN PERFORM ${s}._refuse('22004 message must not be null'); END IF;${check('channel', "'delete'", 'NULL', optionNames('mutation'))}
  RETURN ${s}._enqueue(m, gen_random_uuid(), 'delete', app, channel, message, NULL, false, options);
END $$;

CREATE OR REPLACE FUNCTION ${s}.push(app text, body jsonb) RETURNS uuid ${definer()} AS $$
DECLARE ${meta} options jsonb := '{}';
BEGIN
  IF body IS NULL OR jsonb_typeof(body) <> 'object' THEN PERFORM ${s}._refuse('22023 body must be a JSON object'); END IF;${check("'push'", "'push'", 'body::text', "'{}'::text[]")}
  RETURN ${s}._enqueue(m, gen_random_uuid(), 'push', app, NULL, NULL, body::text, true, options);
END $$;
`;
};
