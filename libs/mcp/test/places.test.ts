import { DESCRIPTIONS } from '@carillon/api-operations';
import { MemoryRateLimit, type RateLimit } from '@carillon/rate-limit';
import { describe, expect, it, vi } from 'vitest';
import { scene } from './scene.js';

/** A connection whose request is at work is read again a second later, and then seen to be gone. */
const SEEN = { timeout: 10_000 };
/** Concurrency limit of one token. */
const MOST = 32;
const PING = { id: 1, method: 'ping' };
const READ = {
  id: 1,
  method: 'tools/call',
  params: { name: 'get_channel_history', arguments: { channel: 'c' } },
};

/** Blocks callers until it is opened. */
function gate() {
  const open: (() => void)[] = [];
  const opened = new Promise<void>((resolve) => void open.push(resolve));
  let waiting = 0;
  return {
    pass: async (): Promise<void> => {
      waiting += 1;
      await opened;
    },
    waiting: () => waiting,
    open: () => open.forEach((one) => one()),
  };
}

describe('the places of a token', () => {
  it('come back from clients that went away while they were looked at', async () => {
    const { pass, waiting, open } = gate();
    const memory = new MemoryRateLimit();
    const rateLimit: RateLimit = {
      check: (...given) => memory.check(...given),
      take: async (...given) => {
        await pass();
        return memory.take(...given);
      },
      health: () => memory.health(),
      close: () => memory.close(),
    };
    const { ask, send, inFlight } = await scene({ rateLimit, mcp: { rate_limit_per_minute: 1000 } });
    const clients = await Promise.all(Array.from({ length: MOST }, () => ask(PING)));
    await vi.waitFor(() => expect(waiting()).toBe(MOST));
    for (const client of clients) client.destroy();
    await vi.waitFor(() => expect(inFlight()).toBe(0), SEEN);
    open();
    // The missing session is reported only to requests that got a slot.
    expect((await send(PING)).status).toBe(400);
  });

  it('are held by work that nobody waits for any more, until it is done', async () => {
    const { pass, waiting, open } = gate();
    const perform = async () => {
      await pass();
      return { value: { items: [] } };
    };
    const operations = { readHistory: { description: DESCRIPTIONS.readHistory, perform } };
    const { begin, ask, send, inFlight } = await scene({ operations });
    const session = await begin();
    const clients = await Promise.all(Array.from({ length: MOST }, () => ask(READ, { session })));
    await vi.waitFor(() => expect(waiting()).toBe(MOST));
    for (const client of clients) client.destroy();
    await vi.waitFor(() => expect(inFlight()).toBe(0), SEEN);
    const refused = await send(PING, { session });
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    open();
    await vi.waitFor(async () => expect((await send(PING, { session })).status).toBe(200));
  });
});
