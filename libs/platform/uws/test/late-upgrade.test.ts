import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawSocketClient, spawnNode } from '@carillon/testing';
import { expect, it } from 'vitest';

const SERVER = fileURLToPath(new URL('./late-server.js', import.meta.url));
const PROCESSES = process.env['CARILLON_PROOF'] === 'true' ? 15 : 6;
/** Number of parallel processes: most of their time is the start. */
const AT_ONCE = 3;
const CLIENTS = 8;

/** Number of rejected clients among the first ones of a new process. */
async function sentAway(): Promise<number> {
  const server = spawnNode(SERVER);
  const [, port] = await server.says(/port (\d+)/);
  const clients: RawSocketClient[] = [];
  for (let count = 0; count < CLIENTS; count += 1) {
    // The native fault depends on previous contents of its memory.
    const padding = 'a'.repeat(Math.floor(Math.random() * 300));
    const client = await RawSocketClient.open(Number(port), '/app', { 'X-Padding': padding });
    expect(await client.nextText()).toBe('hello');
    await sleep(10);
    if (client.connection.ended || count % 2 === 0) clients.push(client);
    else client.destroy();
  }
  const ended = clients.filter(({ connection }) => connection.ended).length;
  for (const client of clients) client.destroy();
  await server.kill();
  return ended;
}

// The native side took some for requests that are over, most of them among the first of a process.
it('keeps every client whose upgrade was decided late', async () => {
  let ended = 0;
  for (let done = 0; done < PROCESSES; done += AT_ONCE)
    for (const some of await Promise.all(Array.from({ length: AT_ONCE }, sentAway))) ended += some;
  expect(ended).toBe(0);
}, 120_000);
