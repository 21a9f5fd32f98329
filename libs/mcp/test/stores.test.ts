import { type Cache, CacheUnavailable, MemoryCache } from '@carillon/cache';
import { MemoryRateLimit } from '@carillon/rate-limit';
import { describe, expect, it } from 'vitest';
import { scene } from './scene.js';

const PING = { id: 1, method: 'ping' };
const DOWN = { status: 503, json: { error: { code: 1503 } } };
const CALL = { id: 1, method: 'tools/call', params: { name: 'get_health', arguments: {} } };

/** A cache that can be put out of reach. */
function breakable(): { cache: Cache; state: { isDown: boolean } } {
  const state = { isDown: false };
  const memory = new MemoryCache({ capacity: 1000, defaultTtlMs: 60_000, cleanupIntervalMs: 0 });
  const cache = new Proxy<Cache>(memory, {
    get(_target, name) {
      const member = Reflect.get(memory, name, memory) as unknown;
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]): Promise<unknown> => {
        if (state.isDown) throw new CacheUnavailable('gone');
        return Reflect.apply(member, memory, given) as unknown;
      };
    },
  });
  return { cache, state };
}

describe('while a store is away', () => {
  it('nobody is served whose session cannot be looked up, and no tool runs', async () => {
    const { cache, state } = breakable();
    const { begin, send, records } = await scene({ cache });
    const session = await begin();
    state.isDown = true;
    for (const message of [PING, CALL]) expect(await send(message, { session })).toMatchObject(DOWN);
    expect(records().map(({ event }) => event)).not.toContain('mcp.tool.called');
    state.isDown = false;
    expect((await send(PING, { session })).status).toBe(200);
  });

  it('nobody is served who cannot be counted, and no tool runs', async () => {
    const rateLimit = new MemoryRateLimit();
    const { begin, send, records } = await scene({ rateLimit, mcp: { rate_limit_per_minute: 60 } });
    const session = await begin();
    await rateLimit.close();
    for (const message of [PING, CALL]) expect(await send(message, { session })).toMatchObject(DOWN);
    expect(records().map(({ event }) => event)).not.toContain('mcp.tool.called');
  });
});
