import { setTimeout as pause } from 'node:timers/promises';
import { engine, type EngineHandle } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLink, to } from './settings.js';

const settled = (call: Promise<unknown>): Promise<unknown> => call.catch((thrown: unknown) => thrown);

describe('a server that goes away', () => {
  let redis: EngineHandle;
  beforeAll(async () => {
    redis = await engine('redis', { own: true });
  });
  afterAll(() => redis.release());

  it('rejects every call while it is dead, and serves again once it is back', async () => {
    const { link, heard } = await openLink({ target: to(redis.url) });
    await link.call('ping');
    const { generation } = link;
    await redis.kill();
    for (let count = 0; count < 3; count += 1) {
      expect(await settled(link.call('get', 'a'))).toMatchObject({ failure: 'lost' });
      await pause(200);
    }
    expect(await link.health()).toMatch(/ECONNREFUSED/);
    expect(await link.connected()).toMatch(/ECONNREFUSED/);
    expect(heard).toEqual(['lost']);
    // Calls waiting for the next server are already prepared for it.
    expect(link.generation).toBe(generation + 1);
    await redis.restart();
    await vi.waitFor(async () => expect(await link.health()).toBeNull(), { timeout: 15_000 });
    expect(heard).toEqual(['lost', 'restored']);
    expect(link.generation).toBe(generation + 1);
    link.close();
  });

  it('is waited for when it was there a moment ago', async () => {
    const { link } = await openLink({ target: to(redis.url) });
    const { link: killer } = await openLink({ target: to(redis.url) });
    await link.call('set', 'a', '1');
    await killer.call('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    await vi.waitFor(async () => expect(await link.call('get', 'a')).toBe('1'));
    link.close();
    killer.close();
  });

  it('is found when it appears after the link was opened', async () => {
    await redis.kill();
    const { link, heard } = await openLink({ target: to(redis.url) });
    expect(await settled(link.call('ping'))).toMatchObject({ failure: 'lost' });
    await redis.restart();
    await vi.waitFor(async () => expect(await link.call('ping')).toBe('PONG'), { timeout: 15_000 });
    expect(heard).toEqual([]);
    link.close();
  });
});

describe('a server that is silent', () => {
  let redis: EngineHandle;
  beforeAll(async () => {
    redis = await engine('redis', { own: true });
  });
  afterAll(() => redis.release());

  it('rejects calls after the time of one, holds no more than its bound, and serves again', async () => {
    const { link } = await openLink({ target: to(redis.url), timeoutMs: 300, maxWaiting: 5 });
    await link.call('ping');
    await redis.pause();
    const calls = await Promise.all(Array.from({ length: 8 }, () => settled(link.call('ping'))));
    const failures = calls.map((one) => (one as { failure: string }).failure).sort();
    expect(failures).toEqual(['busy', 'busy', 'busy', ...Array.from({ length: 5 }, () => 'timeout')]);
    // The server still owes answers to those, so they count until they are answered or given up.
    expect(await settled(link.call('ping'))).toMatchObject({ failure: 'busy' });
    await redis.resume();
    await vi.waitFor(async () => expect(await link.call('ping')).toBe('PONG'));
    link.close();
  });

  it('is given up after 5 s of silence, although its connection stands', async () => {
    const { link, heard } = await openLink({ target: to(redis.url) });
    await link.call('ping');
    await redis.pause();
    const call = (await settled(link.call('ping'))) as { failure: string };
    expect(['timeout', 'lost']).toContain(call.failure);
    await vi.waitFor(() => expect(heard).toEqual(['lost']));
    await redis.resume();
    await vi.waitFor(() => expect(heard).toEqual(['lost', 'restored']), { timeout: 15_000 });
    link.close();
  });

  it('is not sent later what was rejected before it listened', async () => {
    await redis.pause();
    const { link } = await openLink({ target: to(redis.url), timeoutMs: 200 });
    expect(await settled(link.call('set', 'late', '1'))).toMatchObject({ failure: 'timeout' });
    await redis.resume();
    await vi.waitFor(async () => expect(await link.call('ping')).toBe('PONG'));
    expect(await link.call('exists', 'late')).toBe(0);
    link.close();
  });
});
