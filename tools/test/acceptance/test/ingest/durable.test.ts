import { publishInTransaction } from '@carillon/server';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClientV2, type FrameV2 } from '../harness/client-v2.js';
import { BRIEF_LIVES, Cluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';
import { openOutbox, openSql, type Outbox, type Sql } from './outbox.js';
import { command } from './run-command.js';

const received = async (client: ClientV2, count: number): Promise<FrameV2[]> => {
  const frames: FrameV2[] = [];
  while (frames.length < count) frames.push(await client.next());
  return frames;
};

describe('transactional publish to durable channels', { timeout: 120_000 }, () => {
  let outbox: Outbox;
  let cluster: Cluster;
  let ingest: Node;
  let sql: Sql;
  beforeAll(async () => {
    outbox = await openOutbox();
    expect((await command([outbox.source], '--install', 'orders')).code).toBe(0);
    cluster = new Cluster('nats', {
      tenants: () => [openTenant('shop')],
      more: ['history-writer'],
      database: true,
      env: {
        ...BRIEF_LIVES,
        HISTORY_ENABLED: 'true',
        CONNECTION_RECOVERY_ENABLED: 'true',
        VERSIONED_MESSAGES_ENABLED: 'true',
        VERSIONED_MESSAGES_DRIVER: 'postgres',
      },
      config: { ingest: { sources: [outbox.source] } },
    });
    await cluster.start();
    ingest = await cluster.add('ingest');
    sql = await openSql(outbox.url);
  }, 240_000);
  afterEach(() => cluster.dropClients());
  afterAll(async () => {
    await sql.end();
    await cluster.stop();
    await outbox.end();
  });

  const subscribed = async (channel: string): Promise<ClientV2> => {
    const client = await ClientV2.connect(cluster.gateway(0));
    await client.subscribe(channel);
    return client;
  };
  it('appends to a message of the same transaction by its message_id', async () => {
    const client = await subscribed('answers');
    await sql.query('BEGIN');
    await sql.query(`SELECT carillon.publish('shop', 'answers', 'e', 'hello', '{"message_id":"m"}')`);
    await sql.query(`SELECT carillon.append('shop', 'answers', 'id:m', ' world')`);
    const { rows } = await sql.query(`SELECT carillon.append('shop', 'answers', 'id:nobody', 'x') AS id`);
    await sql.query(`SELECT carillon.update_message('shop', 'answers', 'id:m', '{"data":"bye"}')`);
    await sql.query(`SELECT carillon.delete_message('shop', 'answers', 'id:m')`);
    await sql.query('COMMIT');
    const frames = await received(client, 4);
    expect(frames.map(({ event }) => event)).toEqual([
      'e',
      'service:message.append',
      'service:message.update',
      'service:message.delete',
    ]);
    expect(frames[1]?.data).toBe(' world');
    await eventually(async () => {
      const dead = await sql.query('SELECT code FROM carillon.outbox_dead WHERE id = $1', [rows[0]?.['id']]);
      expect(dead.rows).toEqual([{ code: 'not_found' }]);
    });
  });

  it('commits each event once and in order when ingest is killed', async () => {
    const client = await subscribed('killed');
    const writing = (async () => {
      for (let index = 0; index < 400; index += 1)
        await sql.query('SELECT carillon.publish($1, $2, $3, $4::text)', [
          'shop',
          'killed',
          'e',
          String(index),
        ]);
    })();
    for (let kill = 0; kill < 2; kill += 1) {
      await new Promise((later) => setTimeout(later, 300));
      await ingest.process.kill('SIGKILL');
      ingest = await cluster.add('ingest');
    }
    await writing;
    // Every copy would be seen: a durable channel has none.
    const frames = await received(client, 400);
    expect(frames.map(({ data }) => data)).toEqual(Array.from({ length: 400 }, (_, index) => String(index)));
    expect(await client.pending()).toEqual([]);
  });

  it('publishInTransaction returns the ids with a pg client and a TypeORM entity manager', async () => {
    const client = await subscribed('helpers');
    const events = ['a', { n: 1 }].map((data) => ({ app: 'shop', channel: 'helpers', event: 'e', data }));
    await sql.query('BEGIN');
    const ids = await publishInTransaction(sql, events);
    await sql.query('COMMIT');
    const source = new DataSource({ type: 'postgres', url: outbox.url });
    await source.initialize();
    ids.push(...(await source.transaction((manager) => publishInTransaction(manager, events))));
    await expect(publishInTransaction(source, events)).rejects.toThrow('got DataSource');
    await source
      .transaction(async (manager) => {
        await publishInTransaction(manager, events);
        throw new Error('rolled back');
      })
      .catch(() => {});
    await source.destroy();
    const frames = await received(client, 4);
    expect(frames.map(({ data }) => data)).toEqual(['a', '{"n":1}', 'a', '{"n":1}']);
    expect(frames.map((frame) => frame.message_id)).toEqual(ids);
  });
});
