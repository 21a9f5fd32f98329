import { describe, expect, it } from 'vitest';
import { installOutbox } from '../src/drivers/postgres/install.js';
import { installationSql } from '../src/drivers/postgres/installation/installation.js';
import { scene } from './sql.js';

const NAMES = { partitions: 64, rotateSeconds: 600 };

describe('installation SQL', () => {
  it('refuses a schema that would need escaping', () => {
    expect(() => installationSql({ ...NAMES, schema: 'a"b' })).toThrow('invalid identifier "a"b"');
  });

  it('refuses to downgrade a newer schema', async () => {
    const { schema, url, connect } = await scene();
    const sql = await connect();
    await sql.rows(`UPDATE ${schema}.outbox_meta SET version = 3`);
    await expect(installOutbox({ url, schema, rotateSeconds: 60 })).rejects.toThrow(
      'schema version 3 is newer than this build (1)',
    );
  });

  it('keeps events and cursors when it runs again', async () => {
    const { schema, url, connect } = await scene();
    const sql = await connect();
    await sql.rows(`SELECT ${schema}.publish('shop', 'a', 'e', 'x')`);
    await sql.rows(`UPDATE ${schema}.outbox_cursor SET seq = 7 WHERE partition = 1`);
    expect(await installOutbox({ url, schema, rotateSeconds: 120 })).toBe(1);
    expect(await sql.rows(`SELECT count(*)::int AS n FROM ${schema}.outbox`)).toEqual([{ n: 1 }]);
    expect(await sql.rows(`SELECT seq FROM ${schema}.outbox_cursor WHERE partition = 1`)).toEqual([
      { seq: '7' },
    ]);
    expect(await sql.rows(`SELECT rotate_seconds FROM ${schema}.outbox_meta`)).toEqual([
      { rotate_seconds: 120 },
    ]);
  });
});

describe('SQL checks', () => {
  it('abort the statement with the SQLSTATE and the message of the rule', async () => {
    const { schema, connect } = await scene();
    const sql = await connect();
    const long = 'x'.repeat(201);
    const refused: readonly (readonly [string, string, string])[] = [
      [`publish('shop', 'a b', 'e', 'x')`, '22023', 'channel "a b" is empty or has characters outside'],
      [`publish('shop', '', 'e', 'x')`, '22023', 'channel "" is empty'],
      [`publish('shop', '${long}', 'e', 'x')`, '54000', 'channel name has 201 bytes, at most 200 allowed'],
      [`publish('shop', 'a', '${long}', 'x')`, '54000', 'event name has 201 bytes, at most 200 allowed'],
      [`publish('shop', 'a', '', 'x')`, '22023', 'event must not be empty'],
      [`publish('shop', 'a', NULL, 'x')`, '22004', 'event must not be null'],
      [`publish('', 'a', 'e', 'x')`, '22023', 'app id has 0 bytes, 1 to 128 allowed'],
      [
        `publish('shop', 'a', 'e', repeat('x', 1048577))`,
        '54000',
        'data has 1048577 bytes, at most 1048576 allowed',
      ],
      [`publish('shop', 'a', 'e', 'x', '{"colour":1}')`, '22023', 'option "colour" is unknown'],
      [`publish('shop', 'a', 'e', 'x', '[]')`, '22023', 'options must be a JSON object'],
      [`append('shop', 'a', 'm', 'x', '{"tags":{}}')`, '22023', 'option "tags" is unknown'],
      [`update_message('shop', 'a', 'm', '{"colour":1}')`, '22023', 'change "colour" is unknown'],
      [`delete_message('shop', 'a', NULL)`, '22004', 'message must not be null'],
      [`push('shop', '[]')`, '22023', 'body must be a JSON object'],
      [
        `publish_batch('shop', '[{"channel":"a","name":"e"},{"channel":"a b","name":"e"}]')`,
        '22023',
        'events[1]: channel "a b" is empty',
      ],
      [`publish_batch('shop', '[{"channel":"a"}]')`, '22004', 'events[0]: event must not be null'],
      [
        `publish_batch('shop', '[{"channel":"a","name":"e","colour":1}]')`,
        '22023',
        'events[0]: option "colour"',
      ],
      [`publish_batch('shop', '[1]')`, '22004', 'events[0]: channel must not be null'],
    ];
    for (const [call, code, message] of refused) {
      const error: unknown = await sql.rows(`SELECT ${schema}.${call}`).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect([call, error]).toEqual([
        call,
        expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
      ]);
    }
    expect(await sql.rows(`SELECT count(*)::int AS n FROM ${schema}.outbox`)).toEqual([{ n: 0 }]);
  });

  it('undo the whole transaction of the user', async () => {
    const { schema, connect } = await scene();
    const sql = await connect();
    await sql.rows('CREATE TABLE orders (id int)');
    await sql.rows('BEGIN');
    await sql.rows('INSERT INTO orders VALUES (1)');
    await expect(sql.rows(`SELECT ${schema}.publish('shop', 'a b', 'e', 'x')`)).rejects.toThrow(
      'channel "a b" is empty',
    );
    await sql.rows('COMMIT');
    expect(await sql.rows('SELECT * FROM orders')).toEqual([]);
  });

  it('return one id per event and channel of a batch, in order', async () => {
    const { schema, connect } = await scene();
    const sql = await connect();
    const events = '[{"channels":["a","b"],"name":"1","data":{"n":1}},{"channel":"c","name":"2"}]';
    const [row] = await sql.rows(`SELECT ${schema}.publish_batch('shop', $1) AS ids`, [events]);
    const stored = await sql.rows(`SELECT id, channel, name, data, json FROM ${schema}.outbox ORDER BY n`);
    expect(stored.map(({ id }) => id)).toEqual(row?.['ids']);
    expect(stored.map(({ channel, name, data, json }) => [channel, name, data, json])).toEqual([
      ['a', '1', '{"n": 1}', true],
      ['b', '1', '{"n": 1}', true],
      ['c', '2', null, false],
    ]);
  });
});

describe('SQL roles', () => {
  it('let writers publish and nothing else', async () => {
    const { schema, login, connect } = await scene();
    const sql = await connect((await login(`${schema}_writer`)).url);
    await sql.rows(`SELECT ${schema}.publish('shop', 'a', 'e', 'x')`);
    await sql.rows(`SELECT ${schema}.publish_batch('shop', '[{"channel":"a","name":"e"}]')`);
    for (const text of [
      `SELECT * FROM ${schema}.outbox`,
      `UPDATE ${schema}.outbox_cursor SET seq = 0`,
      `SELECT ${schema}.requeue(gen_random_uuid())`,
      `SELECT ${schema}._rotate()`,
      `SELECT ${schema}.allow('${schema}_writer', 'shop')`,
      `SELECT ${schema}._enqueue(NULL, NULL, 'publish', 'shop', 'a', 'e', 'x', false, '{}')`,
      `SELECT nextval('${schema}.outbox_n')`,
    ])
      await expect(sql.rows(text)).rejects.toMatchObject({ code: '42501' });
  });

  it('let neither readers nor strangers publish', async () => {
    const { schema, login, connect } = await scene();
    const reader = await connect((await login(`${schema}_reader`)).url);
    const stranger = await connect((await login()).url);
    await reader.rows(`SELECT * FROM ${schema}.outbox`);
    for (const sql of [reader, stranger])
      await expect(sql.rows(`SELECT ${schema}.publish('shop', 'a', 'e', 'x')`)).rejects.toMatchObject({
        code: '42501',
      });
  });

  it('restrict a role to its apps once allow() was called', async () => {
    const { schema, login, connect } = await scene();
    const { name, url } = await login(`${schema}_writer`);
    const sql = await connect(url);
    await (await connect()).rows(`SELECT ${schema}.allow($1, 'shop')`, [name]);
    await sql.rows(`SELECT ${schema}.publish('shop', 'a', 'e', 'x')`);
    await expect(sql.rows(`SELECT ${schema}.publish('bank', 'a', 'e', 'x')`)).rejects.toMatchObject({
      code: '42501',
      message: `role "${name}" may not publish for app "bank"`,
    });
  });

  it('fix the search_path of every SECURITY DEFINER function and grant nothing to PUBLIC', async () => {
    const { schema, connect } = await scene();
    const sql = await connect();
    const functions = await sql.rows(
      `SELECT p.proname, p.prosecdef, p.proconfig, has_function_privilege('public', p.oid, 'EXECUTE') AS public
       FROM pg_proc p WHERE p.pronamespace = $1::regnamespace`,
      [schema],
    );
    expect(functions.length).toBeGreaterThan(15);
    for (const one of functions) {
      expect(one['public']).toBe(false);
      expect(one['proconfig']).toContain('search_path=pg_catalog, pg_temp');
    }
  });

  it('call no function of a hostile search_path', async () => {
    const { schema, connect } = await scene();
    const sql = await connect();
    await sql.rows('CREATE SCHEMA evil');
    for (const signature of ['octet_length(text)', 'nextval(text)', 'gen_random_uuid()', 'sha256(bytea)'])
      await sql.rows(
        `CREATE FUNCTION evil.${signature} RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'called'; END $$`,
      );
    await sql.rows('SET search_path = evil, pg_catalog');
    await sql.rows(`SELECT ${schema}.publish('shop', 'a', 'e', 'x')`);
  });
});

describe('rotation', () => {
  it('truncates slots whose seals are behind the cursors and keeps all others', async () => {
    const { schema, connect } = await scene();
    const sql = await connect();
    await sql.rows(`SELECT ${schema}.publish('shop', 'a', 'e', 'x')`);
    const slot = `(SELECT slot FROM ${schema}.outbox_seal LIMIT 1)`;
    // Moves the clock of the rows instead of waiting: the slot two behind the current one.
    const [now] = await sql.rows(
      `SELECT ${schema}._slot(m, now())::int AS slot FROM ${schema}.outbox_meta m`,
    );
    const old = (Number(now?.['slot']) + 2) % 4;
    await sql.rows(`UPDATE ${schema}.outbox SET slot = $1`, [old]);
    await sql.rows(`UPDATE ${schema}.outbox_seal SET slot = $1`, [old]);
    expect(await sql.rows(`SELECT ${schema}._rotate() AS n`)).toEqual([{ n: 0 }]);
    // A row that moves between slots is sealed again: the cursor passes the last seal.
    await sql.rows(
      `UPDATE ${schema}.outbox_cursor c SET seq = s.seq, n = s.n
       FROM (SELECT partition, max(seq) AS seq, max(last_n) AS n FROM ${schema}.outbox_seal GROUP BY partition) s
       WHERE c.partition = s.partition`,
    );
    expect(await sql.rows(`SELECT ${slot} AS slot`)).toEqual([{ slot: old }]);
    expect(await sql.rows(`SELECT ${schema}._rotate() AS n`)).toEqual([{ n: 1 }]);
    expect(await sql.rows(`SELECT count(*)::int AS n FROM ${schema}.outbox`)).toEqual([{ n: 0 }]);
    expect(await sql.rows(`SELECT count(*)::int AS n FROM ${schema}.outbox_seal`)).toEqual([{ n: 0 }]);
  });

  it('makes committed rows without a seal dead letters', async () => {
    const { schema, connect } = await scene();
    const sql = await connect();
    const [now] = await sql.rows(
      `SELECT ${schema}._slot(m, now())::int AS slot FROM ${schema}.outbox_meta m`,
    );
    await sql.rows(
      `INSERT INTO ${schema}.outbox (slot, partition, n, txn, lead, id, op, app, channel, name, data, json, options)
       VALUES ($1, 0, 1, pg_current_xact_id(), false, gen_random_uuid(), 'publish', 'shop', 'a', 'e', 'x', false, '{}')`,
      [(Number(now?.['slot']) + 2) % 4],
    );
    expect(await sql.rows(`SELECT ${schema}._rotate() AS n`)).toEqual([{ n: 1 }]);
    expect(await sql.rows(`SELECT code, channel FROM ${schema}.outbox_dead`)).toEqual([
      { code: 'unsealed', channel: 'a' },
    ]);
  });
});
