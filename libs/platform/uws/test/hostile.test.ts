import { join } from 'node:path';
import { RawConnection, rawHttp, RawSocketClient, type SpawnedNode, spawnNode } from '@carillon/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileCase, hostileCase } from './hostile-cases.js';

const CASES = 10_000;
const AT_ONCE = 50;
const WAIT_MS = 40;
/** Allowed memory growth after the warm-up: far below the size of 10,000 leaked requests. */
const GROWTH_BYTES = 64 * 1024 * 1024;

const later = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

async function attack(port: number, { pieces, leaves }: HostileCase): Promise<void> {
  const connection = await RawConnection.open(port);
  for (const piece of pieces) {
    connection.write(piece);
    if (pieces.length > 1) await later(1);
  }
  if (leaves === 'resets') connection.socket.resetAndDestroy();
  else if (leaves === 'half-closes') connection.halfClose();
  await connection.untilEnd(WAIT_MS);
  connection.destroy();
}

async function attackAll(port: number, count: number): Promise<void> {
  let left = count;
  const attacker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await attack(port, hostileCase());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, attacker));
}

/** Whether the server ends a client that sends a little every second. */
async function drips(port: number, start: string, part: string): Promise<boolean> {
  const connection = await RawConnection.open(port);
  connection.write(start);
  const drip = setInterval(() => connection.write(part), 1000);
  const ended = await connection.untilEnd(20_000);
  clearInterval(drip);
  connection.destroy();
  return ended;
}

describe('hostile clients', () => {
  let server: SpawnedNode;
  let port: number;

  beforeAll(async () => {
    server = spawnNode(join(import.meta.dirname, 'hostile-server.js'));
    port = Number((await server.says(/"port":(\d+)/))[1]);
  });
  afterAll(() => server.kill());

  async function memory(): Promise<number> {
    server.output = '';
    server.tell('rss');
    return Number((await server.says(/rss (\d+) open \d+/))[1]);
  }

  it('neither end the server nor make it grow', { timeout: 90_000 }, async () => {
    await attackAll(port, CASES / 5);
    const before = await memory();
    await attackAll(port, CASES);
    expect(server.isRunning).toBe(true);
    expect((await memory()) - before).toBeLessThan(GROWTH_BYTES);
    expect(server.output).toMatch(/open 0\n/);
    expect((await rawHttp(port, { path: '/hello' })).status).toBe(200);
    const client = await RawSocketClient.open(port, '/app/k');
    client.sendText('alive');
    expect(await client.nextText()).toBe('alive');
    client.destroy();
  });

  it('are not waited for without end when they are slow', async () => {
    const head = 'POST /json/a HTTP/1.1\r\nHost: x\r\n';
    const ended = await Promise.all([
      drips(port, `${head}Content-Length: 5000\r\n\r\n`, 'x'),
      drips(port, `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'),
      drips(port, head, 'X: y\r\n'),
      drips(port, '', ''),
    ]);
    expect(ended).toEqual([true, true, true, true]);
  });
});
