import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { Cluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';
import { checkChannel, withoutCopies } from './check-order.js';
import { openOutbox, openSql, type Outbox } from './outbox.js';
import { command } from './run-command.js';
import { committedOnly, Writer } from './writers.js';

const CHANNELS = Array.from({ length: 5 }, (_, index) => `orders-${index}`);
const WRITERS = 6;
const pause = (ms: number): Promise<void> => new Promise((later) => setTimeout(later, ms));

/** Reads all events of a connection into one list per channel. */
class Recorder {
  readonly received = new Map<string, string[]>(CHANNELS.map((channel) => [channel, []]));

  constructor(client: Client) {
    void this.#read(client);
  }

  get count(): number {
    return [...this.received.values()].reduce((sum, { length }) => sum + length, 0);
  }

  async #read(client: Client): Promise<void> {
    for (;;) {
      const frame = await client.next(120_000).catch(() => null);
      if (frame === null) return;
      if (frame.event === 'pusher:ping') client.send({ event: 'pusher:pong', data: {} });
      if (frame.event === 'e') this.received.get(frame.channel ?? '')?.push(String(frame.data));
    }
  }
}

describe('ingest from PostgreSQL under kills', { timeout: 180_000 }, () => {
  let outbox: Outbox;
  let cluster: Cluster;
  const ingests: Node[] = [];
  beforeAll(async () => {
    outbox = await openOutbox(true);
    expect((await command([outbox.source], '--install', 'orders')).code).toBe(0);
    cluster = new Cluster('nats', {
      tenants: () => [openTenant('shop')],
      config: { ingest: { sources: [outbox.source] } },
    });
    await cluster.start();
    const sql = await openSql(outbox.url);
    await sql.query('CREATE TABLE written (writer int, transaction int)');
    // Without it a killed server loses commits whose events were published.
    const [row] = (await sql.query('SELECT current_database() AS name')).rows;
    await sql.query(`ALTER DATABASE "${String(row?.['name'])}" SET synchronous_commit = on`);
    await sql.end();
  }, 240_000);
  afterEach(() => cluster.dropClients());
  afterAll(async () => {
    await cluster.stop();
    await outbox.end();
  });

  const owned = async (): Promise<number[]> =>
    Promise.all(ingests.map(async (node) => (await node.metrics()).value('ingest_partitions_owned') ?? 0));
  const twoIngests = async (): Promise<void> => {
    while (ingests.length < 2) ingests.push(await cluster.add('ingest'));
    await eventually(async () => expect(await owned()).toEqual([32, 32]), 20_000);
  };

  /** Runs writers during the faults, then compares what was received with what was committed. */
  const play = async (faults: () => Promise<void>, mayRepeat: boolean): Promise<void> => {
    const sql = await openSql(outbox.url);
    await sql.query('TRUNCATE written');
    await sql.end();
    const client = await cluster.connect(0);
    for (const channel of CHANNELS) await client.subscribe(channel);
    const recorder = new Recorder(client);
    const writers = Array.from({ length: WRITERS }, (_, index) => new Writer(outbox.url, index, CHANNELS, 5));
    for (const writer of writers) writer.start();
    await faults();
    await Promise.all(writers.map((writer) => writer.stop()));
    const written = await committedOnly(
      outbox.url,
      writers.flatMap((writer) => writer.written),
    );
    const expected = written.reduce((sum, { events }) => sum + events.length, 0);
    expect(expected).toBeGreaterThan(200);
    const seen = (): number =>
      [...recorder.received.values()].reduce((sum, all) => sum + withoutCopies(all).length, 0);
    await eventually(() => expect(seen()).toBeGreaterThanOrEqual(expected), 60_000);
    for (const [channel, received] of recorder.received)
      checkChannel(channel, written, mayRepeat ? withoutCopies(received) : received);
  };

  it('two processes share the partitions and keep the order', async () => {
    await twoIngests();
    await play(() => pause(4000), false);
  });

  it('loses nothing and keeps the order when both processes are killed in turn every second', async () => {
    await twoIngests();
    await play(async () => {
      for (let round = 0; round < 6; round += 1) {
        await pause(1000);
        const victim = ingests.shift();
        await victim?.process.kill('SIGKILL');
        ingests.push(await cluster.add('ingest'));
      }
    }, true);
  });

  it('loses nothing and keeps the order when the database of the user is killed twice', async () => {
    await twoIngests();
    await play(async () => {
      for (let round = 0; round < 2; round += 1) {
        await pause(1500);
        await outbox.restart?.();
      }
      await pause(1500);
    }, false);
  });

  it('delivers within 3 s what a killed process owned, and repeats nothing after a thaw', async () => {
    await twoIngests();
    await play(async () => {
      const [frozen] = ingests;
      await pause(500);
      frozen?.process.child.kill('SIGSTOP');
      await pause(5000);
      frozen?.process.child.kill('SIGCONT');
      await eventually(async () => expect(await owned()).toEqual([32, 32]), 30_000);
    }, true);
  });

  it('repeats nothing when a process is told to stop', async () => {
    await twoIngests();
    await play(async () => {
      await pause(500);
      const leaving = ingests.shift();
      expect(await leaving?.stop()).toBe(0);
      await pause(500);
    }, false);
  });
});
