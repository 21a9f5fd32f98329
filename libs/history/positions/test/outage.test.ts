import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openReplay, ReplayUnavailable, type Replay } from '../src/index.js';

const place = { appId: 'shop', channel: 'orders' };
const take = async (replay: Replay) =>
  replay.append({ place, text: 'x', bounds: { maxCount: 10, maxAgeMs: 60_000 }, once: null });

it('refuses with 503 while its server is away, and begins another stream if that has forgotten', async () => {
  const redis = await engine('redis', { own: true });
  onTestFinished(() => redis.release());
  const replay = await openReplay(configuration({ CACHE_DRIVER: 'redis', REDIS_URL: redis.url }));
  onTestFinished(() => replay.close());
  const before = await take(replay);
  expect(before.serial).toBe(1);
  await redis.kill();
  for (let tries = 0; tries < 3; tries += 1) await expect(take(replay)).rejects.toThrow(ReplayUnavailable);
  expect(await replay.health()).toBeTypeOf('string');
  await redis.restart();
  const after = await vi.waitFor(() => take(replay), { timeout: 15_000 });
  if (after.streamId === before.streamId) expect(after.serial).toBeGreaterThan(before.serial);
  else expect(after.serial).toBe(1);
});

it('has no order among processes that share no store', async () => {
  const { adapter, ...config } = configuration({ CACHE_DRIVER: 'memory' });
  const replay = await openReplay({ ...config, adapter: { ...adapter, driver: 'nats' } });
  await expect(take(replay)).rejects.toMatchObject({ status: 503 });
  expect(await replay.health()).toBeNull();
});
