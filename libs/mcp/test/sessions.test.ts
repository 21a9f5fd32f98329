import { EventEmitter, once } from 'node:events';
import { MemoryCache } from '@carillon/cache';
import { describe, expect, it, vi } from 'vitest';
import { scene } from './scene.js';

const PING = { id: 1, method: 'ping' };
const TTL_SECONDS = 60;

/** A session store with a manual clock. */
function ownTime() {
  let nowMs = 1_000_000;
  const cache = new MemoryCache({
    capacity: 1000,
    defaultTtlMs: 60_000,
    cleanupIntervalMs: 0,
    now: () => nowMs,
  });
  return { cache, pass: (seconds: number): void => void (nowMs += seconds * 1000) };
}

describe('a session', () => {
  it('is over when nobody has used it for so long, and lives on when it is used', async () => {
    const { cache, pass } = ownTime();
    const { begin, send } = await scene({ cache, mcp: { session_ttl_seconds: TTL_SECONDS } });
    const [idle, used] = [await begin(), await begin()];
    for (let half = 0; half < 4; half += 1) {
      pass(TTL_SECONDS / 2);
      expect((await send(PING, { session: used })).status).toBe(200);
    }
    expect(await send(PING, { session: idle })).toMatchObject({
      status: 404,
      json: { error: { code: -32_001 } },
    });
    pass(TTL_SECONDS + 1);
    expect((await send(PING, { session: used })).status).toBe(404);
  });

  it('goes on at another process that shares the store, and ends on all', async () => {
    const { cache } = ownTime();
    const [one, other] = [await scene({ cache }), await scene({ cache })];
    const session = await one.begin();
    expect((await other.send(PING, { session })).status).toBe(200);
    expect((await other.send(null, { session, method: 'DELETE' })).status).toBe(200);
    expect((await one.send(PING, { session })).status).toBe(404);
  });
});

describe('a stream of a session', () => {
  it('is one over all processes', async () => {
    const { cache } = ownTime();
    const [one, other] = [await scene({ cache }), await scene({ cache })];
    const session = await one.begin();
    const open = await one.stream(session);
    const second = { session, method: 'GET' };
    expect((await other.send(null, second)).status).toBe(409);
    open.destroy();
    // The other process notices it by the released lease.
    let again = await other.open(session);
    while (again.startsWith('HTTP/1.1 409')) again = await other.open(session);
    expect(again).toMatch(/^HTTP\/1\.1 200/);
  });

  it('ends when its lease has lapsed and another was opened', async () => {
    const { cache, pass } = ownTime();
    const { begin, stream } = await scene({ cache });
    const session = await begin();
    const lapsed = await stream(session);
    pass(31);
    const open = await stream(session);
    await lapsed.untilText('\r\n0\r\n\r\n');
    expect(open.ended).toBe(false);
  });

  it('that was on its way while the process began to drain ends at once', async () => {
    const { cache } = ownTime();
    const news = new EventEmitter();
    const drained = once(news, 'drained');
    const setIfAbsent = cache.setIfAbsent.bind(cache);
    let isAsked = false;
    cache.setIfAbsent = async (...given) => {
      if (!given[0].startsWith('mcp:stream:')) return setIfAbsent(...given);
      isAsked = true;
      await drained;
      return setIfAbsent(...given);
    };
    const { begin, stream, server } = await scene({ cache });
    const opening = stream(await begin());
    await vi.waitFor(() => expect(isAsked).toBe(true));
    server.drain();
    news.emit('drained');
    await (await opening).untilText('Content-Length: 0\r\n\r\n');
  });
});
