import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { Cluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { openTenant, tenant } from '../harness/tenant.js';
import { openOutbox, openSql, type Outbox, type Sql } from './outbox.js';
import { command } from './run-command.js';

const publish = (on: Sql, channel: string, data: string) =>
  on.query('SELECT carillon.publish($1, $2, $3, $4::text) AS id', ['shop', channel, 'e', data]);

const batch = (on: Sql, channel: string, ...data: string[]) =>
  on.query('SELECT carillon.publish_batch($1, $2)', [
    'shop',
    JSON.stringify(data.map((one) => ({ channels: [channel], name: 'e', data: one }))),
  ]);

describe('transactional publish from PostgreSQL', { timeout: 120_000 }, () => {
  let outbox: Outbox;
  let cluster: Cluster;
  let ingest: Node;
  let sql: Sql;
  let other: Sql;
  let client: Client;
  beforeAll(async () => {
    outbox = await openOutbox();
    const source = { ...outbox.source, apps: ['off', 'nobody'] };
    expect((await command([source], '--install', 'orders')).code).toBe(0);
    cluster = new Cluster('nats', {
      tenants: () => [
        openTenant('shop', { limits: { max_event_payload_in_kb: 1 } }),
        tenant('off', {}, false),
      ],
      config: { ingest: { sources: [source] } },
    });
    await cluster.start();
    ingest = await cluster.add('ingest');
    [sql, other] = await Promise.all([openSql(outbox.url), openSql(outbox.url)]);
  }, 240_000);
  afterEach(() => cluster.dropClients());
  afterAll(async () => {
    await sql.end();
    await other.end();
    await cluster.stop();
    await outbox.end();
  });

  const subscribed = async (...channels: string[]): Promise<Client> => {
    client = await cluster.connect(0);
    for (const channel of channels) await client.subscribe(channel);
    return client;
  };
  const received = async (count: number): Promise<string[]> => {
    const frames = [];
    for (let index = 0; index < count; index += 1) frames.push(String((await client.next()).data));
    return frames;
  };
  const deadLetter = (id: unknown) =>
    eventually(async () => {
      const { rows } = await sql.query('SELECT code, status FROM carillon.outbox_dead WHERE id = $1', [id]);
      expect(rows).toHaveLength(1);
      return rows[0];
      // An unknown app is looked up for 10 s.
    }, 30_000);

  it('--install keeps events when it runs again; an unknown source exits 64', async () => {
    await subscribed('again');
    await publish(sql, 'again', '1');
    const again = await command([outbox.source], '--install', 'orders');
    expect(again).toMatchObject({ code: 0 });
    expect(again.output).toContain('source "orders": schema "carillon" is at version 1');
    await publish(sql, 'again', '2');
    expect(await received(2)).toEqual(['1', '2']);
    expect((await command([outbox.source], '--install', 'nobody')).code).toBe(64);
    const printed = await command([outbox.source], '--print-sql', 'orders');
    expect(printed).toMatchObject({ code: 0 });
    expect(printed.output).toContain('CREATE SCHEMA IF NOT EXISTS "carillon"');
  });

  it('delivers nothing of a transaction that is rolled back, and one that is committed after its commit', async () => {
    await subscribed('commits');
    await sql.query('BEGIN');
    await publish(sql, 'commits', 'rolled back');
    await sql.query('ROLLBACK');
    await sql.query('BEGIN');
    await publish(sql, 'commits', 'committed');
    expect(await client.pending()).toEqual([]);
    await sql.query('COMMIT');
    expect(await received(1)).toEqual(['committed']);
  });

  it('delivers the outer events only when a savepoint is rolled back', async () => {
    await subscribed('savepoints');
    await sql.query('BEGIN');
    await publish(sql, 'savepoints', 'a');
    await sql.query('SAVEPOINT s');
    await publish(sql, 'savepoints', 'b');
    await sql.query('ROLLBACK TO s');
    await publish(sql, 'savepoints', 'c');
    await sql.query('COMMIT');
    expect(await received(2)).toEqual(['a', 'c']);
  });

  it('delivers text byte for byte, jsonb as compact JSON with all digits and NULL as null', async () => {
    await subscribed('data');
    const text = ' {"n": 12345678901234567890} ';
    await sql.query(`SELECT carillon.publish('shop', 'data', 'e', '${text}')`);
    await sql.query(`SELECT carillon.publish('shop', 'data', 'e', '${text}'::jsonb)`);
    await sql.query(`SELECT carillon.publish('shop', 'data', 'e', '"a b"'::jsonb)`);
    await sql.query(`SELECT carillon.publish('shop', 'data', 'e', NULL)`);
    expect(await received(4)).toEqual([text, '{"n":12345678901234567890}', 'a b', 'null']);
  });

  it('delivers in the order of commits, across channels in opposite order, without a wait', async () => {
    const channels = Array.from({ length: 30 }, (_, index) => `order-${index}`);
    await subscribed(...channels);
    await sql.query('BEGIN');
    for (const channel of channels) await publish(sql, channel, 'A');
    await other.query('BEGIN');
    for (const channel of channels.toReversed()) await publish(other, channel, 'B');
    await other.query('COMMIT');
    const first = await received(30);
    await sql.query('COMMIT');
    expect(new Set(first)).toEqual(new Set(['B']));
    expect(new Set(await received(30))).toEqual(new Set(['A']));
  });

  it('delivers 5000 events of one transaction before one that is committed after it', async () => {
    await subscribed('large');
    await sql.query('BEGIN');
    await sql.query(`SELECT carillon.publish('shop', 'large', 'e', g::text) FROM generate_series(0, 4999) g`);
    await sql.query('COMMIT');
    await publish(other, 'large', '5000');
    expect(await received(5001)).toEqual(Array.from({ length: 5001 }, (_, index) => String(index)));
  });

  it('delivers each event once in call order when constraints are immediate and settings are reset', async () => {
    await subscribed('settings');
    await sql.query('BEGIN');
    await publish(sql, 'settings', '1');
    await sql.query('SET CONSTRAINTS ALL IMMEDIATE');
    await publish(sql, 'settings', '2');
    await batch(sql, 'settings', '3');
    await publish(sql, 'settings', '4');
    await sql.query('SET CONSTRAINTS ALL DEFERRED');
    await batch(sql, 'settings', '5');
    await publish(sql, 'settings', '6');
    await sql.query('RESET ALL');
    await publish(sql, 'settings', '7');
    await batch(sql, 'settings', '8', '9');
    await publish(sql, 'settings', '10');
    await sql.query('COMMIT');
    expect(await received(10)).toEqual(Array.from({ length: 10 }, (_, index) => String(index + 1)));
  });

  it('delivers the event of a deferred trigger of the user', async () => {
    await subscribed('trigger');
    await sql.query('CREATE TABLE orders (id int)');
    await sql.query(`CREATE FUNCTION announce() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM carillon.publish('shop', 'trigger', 'e', NEW.id::text); RETURN NULL; END $$`);
    await sql.query(`CREATE CONSTRAINT TRIGGER announce AFTER INSERT ON orders
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION announce()`);
    await sql.query('BEGIN');
    await sql.query('INSERT INTO orders VALUES (1)');
    await publish(sql, 'trigger', 'first');
    await sql.query('INSERT INTO orders VALUES (2)');
    await sql.query('COMMIT');
    expect((await received(3)).toSorted()).toEqual(['1', '2', 'first']);
  });

  it('publishes one event when two transactions use one idempotency_key', async () => {
    await subscribed('keys');
    for (const data of ['x', 'x'])
      await sql.query(`SELECT carillon.publish('shop', 'keys', 'e', $1, '{"idempotency_key":"k"}')`, [data]);
    await publish(sql, 'keys', 'last');
    expect(await received(2)).toEqual(['x', 'last']);
  });

  it('stores dead letters of apps that are unknown, disabled and not allowed, and goes on', async () => {
    await subscribed('alive');
    const id = async (app: string) =>
      (await sql.query(`SELECT carillon.publish($1, 'alive', 'e', 'x'::text) AS id`, [app])).rows[0]?.['id'];
    const ids = [await id('nobody'), await id('off'), await id('foreign')];
    await publish(sql, 'alive', 'next');
    expect(await received(1)).toEqual(['next']);
    expect(await Promise.all(ids.map(deadLetter))).toEqual([
      { code: 'app_not_found', status: 404 },
      { code: 'app_disabled', status: 403 },
      { code: 'app_not_allowed', status: 403 },
    ]);
  });

  it('stores dead letters of refused events; requeue publishes a corrected one under its old id', async () => {
    await subscribed('refused');
    const { rows } = await publish(sql, 'refused', 'x'.repeat(1025));
    const id = rows[0]?.['id'];
    const nested = await sql.query(
      `SELECT carillon.publish('shop', 'refused', 'e', 'x', '{"extras":{"headers":{"a":{}}}}') AS id`,
    );
    expect(await deadLetter(id)).toEqual({ code: 'payload_too_large', status: 413 });
    expect(await deadLetter(nested.rows[0]?.['id'])).toEqual({ code: 'invalid_input', status: 400 });
    await sql.query(`UPDATE carillon.outbox_dead SET data = 'short' WHERE id = $1`, [id]);
    const requeued = await sql.query('SELECT carillon.requeue($1) AS id', [id]);
    expect(requeued.rows[0]?.['id']).toBe(id);
    expect(await received(1)).toEqual(['short']);
    expect((await sql.query('SELECT FROM carillon.outbox_dead WHERE id = $1', [id])).rows).toEqual([]);
    await expect(sql.query('SELECT carillon.requeue($1)', [id])).rejects.toMatchObject({ code: 'P0002' });
  });

  it('refuses a message_id that is used with other data', async () => {
    await subscribed('conflicts');
    const publishing = (data: string) =>
      sql.query(`SELECT carillon.publish('shop', 'conflicts', 'e', $1, '{"message_id":"m"}') AS id`, [data]);
    await publishing('1');
    const { rows } = await publishing('2');
    await publish(sql, 'conflicts', '3');
    expect(await received(2)).toEqual(['1', '3']);
    expect(await deadLetter(rows[0]?.['id'])).toEqual({ code: 'conflict', status: 409 });
  });

  it('asks the idle database at most 1.4 times a second and delivers the next event', async () => {
    await subscribed('idle');
    const transactions = async () => {
      const { rows } = await sql.query(
        'SELECT sum(xact_commit + xact_rollback) AS n FROM pg_stat_database WHERE datname = current_database()',
      );
      return Number(rows[0]?.['n']);
    };
    // Backends report their statistics up to 10 s late.
    await eventually(async () => {
      const [before, startedAtMs] = [await transactions(), Date.now()];
      await new Promise((later) => setTimeout(later, 6000));
      const seconds = (Date.now() - startedAtMs) / 1000;
      expect((await transactions()) - before).toBeLessThanOrEqual(seconds * 1.4 + 2);
    }, 60_000);
    await publish(sql, 'idle', 'awake');
    expect(await received(1)).toEqual(['awake']);
  });

  it('shows its state in metrics and probes', async () => {
    const scrape = await ingest.metrics();
    expect(scrape.value('ingest_source_up', { source: 'orders' })).toBe(1);
    expect(scrape.value('ingest_partitions_owned', { source: 'orders' })).toBe(64);
    expect(scrape.value('ingest_lag_rows', { source: 'orders' })).toBe(0);
    expect(scrape.value('ingest_events_total', { outcome: 'accepted' })).toBeGreaterThan(5000);
    expect(await ingest.request({ path: '/up' })).toMatchObject({ status: 200 });
  });
});
