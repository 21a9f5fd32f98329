import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { engine } from '@carillon/test-backends';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connected, ENGINES, failure } from './scene.js';

/** A route to a server whose connections can be broken silently: the next write fails. */
async function brittleWayTo(url: string) {
  const { hostname: host, port } = new URL(url);
  const broken = new WeakSet<Socket>();
  const open = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect({ host, port: Number(port) });
    for (const socket of [client, server]) socket.on('error', () => socket.destroy());
    open.add(client);
    client.on('close', () => {
      open.delete(client);
      server.destroy();
    });
    client.on('data', (bytes) => (broken.has(client) ? client.resetAndDestroy() : server.write(bytes)));
    server.on('data', (bytes) => client.write(bytes));
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    listener.close();
  });
  const through = new URL(url);
  through.port = String((listener.address() as AddressInfo).port);
  return {
    url: through.href,
    get connections() {
      return open.size;
    },
    breakAll: () => open.forEach((socket) => broken.add(socket)),
  };
}

describe.each(ENGINES)('connections to %s that all broke', (dialect, engineName) => {
  it('cost the call that finds out, and none behind it', async () => {
    const way = await brittleWayTo((await engine(engineName)).url);
    const database = await connected(dialect, way.url);
    const sleep = dialect === 'postgres' ? 'select pg_sleep(0.3)' : 'select sleep(0.3)';
    await Promise.all([1, 2, 3, 4].map(() => database.query(sleep)));
    expect(way.connections).toBeGreaterThanOrEqual(4);
    way.breakAll();
    expect(await failure(database.query('select 1'))).toMatchObject({ reason: 'lost' });
    await Promise.all([1, 2, 3, 4].map(() => database.query('select 1')));
    expect(await database.transaction(async () => 'done')).toBe('done');
  });
});
