import type { Cache } from '@carillon/cache';
import { StoreFailure } from '@carillon/history-store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MarkingCommits } from '../src/index.js';
import { HEALTHY, inhabited, key, LOST, markOf, pass } from './hints-scene.js';
import { resetOf, transition } from './writing.js';

beforeEach(() => void vi.useFakeTimers({ now: 1_760_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const away = (answer: () => Promise<never>): Cache =>
  ({ get: answer, set: answer, remove: answer, compareAndRemove: answer }) as unknown as Cache;

const lost = (): Promise<never> => Promise.reject(new Error('away'));

async function waited<Value>(asked: Promise<Value>): Promise<Value> {
  await pass(900);
  return asked;
}

describe('a shared cache', () => {
  it.each([
    ['is away', lost],
    ['says nothing', () => new Promise<never>(() => {})],
  ])('that %s is waited for by nobody, and this process shows what it knows', async (_what, answer) => {
    const world = await inhabited();
    const finder = world.process(away(answer));
    expect(await waited(finder.seen())).toEqual(HEALTHY);
    world.stuck.add('*');
    await waited(finder.commits.commit([markOf()]));
    expect(await waited(finder.seen())).toEqual(['degraded', LOST, 'local_memory_hint']);
    world.stuck.clear();
    const [reset] = await waited(finder.commits.commit([resetOf('presence')]));
    expect(reset).toMatchObject({ status: 'applied' });
    expect(await waited(finder.seen())).toEqual(HEALTHY);
    finder.commits.stop();
  });

  it('that comes back is told then', async () => {
    const world = await inhabited();
    let isAway = true;
    const { cache } = world;
    const flaky = Object.assign(Object.create(cache) as Cache, {
      get: (name: string) => (isAway ? lost() : cache.get(name)),
      set: (name: string, value: string, ttlMs?: number) => (isAway ? lost() : cache.set(name, value, ttlMs)),
    });
    const finder = world.process(flaky);
    world.stuck.add('*');
    await finder.commits.commit([markOf()]);
    isAway = false;
    await pass(6000);
    expect(await world.process().seen()).toEqual(['degraded', LOST, 'shared_cache_hint']);
    finder.commits.stop();
  });

  it('keeps a hint for as long as the store is away', async () => {
    const world = await inhabited();
    const finder = world.process();
    world.stuck.add('*');
    await finder.commits.commit([markOf()]);
    for (let hours = 0; hours < 3; hours += 1) await pass(3_600_000);
    expect(await world.process().seen()).toEqual(['degraded', LOST, 'shared_cache_hint']);
    finder.commits.stop();
  });

  it.each(['', 'null', '[]', '{"state":"worse"}', `{"state":"degraded","reason":1}`, 'x'.repeat(9000)])(
    'that holds something else knows nothing: %s',
    async (value) => {
      const world = await inhabited();
      await world.cache.set(key, value);
      expect(await world.process().seen()).toEqual(HEALTHY);
    },
  );
});

const fails = () => Promise.reject(new StoreFailure('connection', 'no'));

describe('commits of a process', () => {
  it('are answered and refused as they would be without hints', async () => {
    const world = await inhabited();
    const { commits } = world.process();
    const { hints } = world.process();
    expect(await commits.commit([transition('member_added', 'v')])).toMatchObject([{ status: 'applied' }]);
    const broken = new MarkingCommits({
      commits: { commit: fails, commitChain: fails },
      hints,
      reads: world.store,
      now: Date.now,
      onTrouble: () => undefined,
    });
    await expect(broken.commit([markOf()])).rejects.toThrow('no');
    expect(hints.kept).toHaveLength(1);
    broken.stop();
  });
});
