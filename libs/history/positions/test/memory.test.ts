import { describe, expect, it } from 'vitest';
import { MemoryReplay, type MemoryReplayOptions, type ReplayPlace } from '../src/index.js';
import { conformance, type Store } from './conformance.js';

function memoryStore(options: MemoryReplayOptions = {}): Store & { replay: MemoryReplay } {
  let nowMs = 1_000_000;
  const replay = new MemoryReplay({ maxChannelBytes: 1000, now: () => nowMs, ...options });
  return {
    replay,
    other: replay,
    pass: async (ms) => void (nowMs += ms),
    // There is no way to lose a counter alone but its end.
    lose: async () => {
      nowMs += 25 * 3_600_000;
    },
    end: () => replay.close(),
  };
}

conformance('memory', async () => memoryStore());

const at = (channel: string): ReplayPlace => ({ appId: 'shop', channel });

describe('a memory that is full', () => {
  const bounds = { maxCount: 10, maxAgeMs: 60_000 };

  it('lets go of the channel that was used longest ago, which begins anew', async () => {
    const { replay, end } = memoryStore({ maxChannels: 2 });
    const [a] = await replay.heads([at('a')]);
    const [b] = await replay.heads([at('b')]);
    await replay.heads([at('a'), at('c')]);
    expect(await replay.heads([at('a')])).toEqual([a]);
    expect(await replay.heads([at('b')])).not.toEqual([b]);
    await end();
  });

  it('keeps counters where there is no room for what they counted', async () => {
    const { replay, end } = memoryStore({ maxBytes: 25 });
    for (const channel of ['a', 'b', 'c'])
      await replay.append({ place: at(channel), text: 'x'.repeat(10), bounds, once: null });
    expect(await replay.range(at('a'), 1, 60_000)).toMatchObject({ serial: 1, entries: [] });
    expect((await replay.range(at('c'), 1, 60_000))?.entries).toHaveLength(1);
    await end();
  });

  it('sweeps what is too old out of channels that nobody uses', async () => {
    const { replay, pass, end } = memoryStore({ maxBytes: 25 });
    await replay.append({ place: at('a'), text: 'x'.repeat(20), bounds, once: null });
    await pass(60_001);
    replay.sweep();
    await replay.append({ place: at('b'), text: 'x'.repeat(20), bounds, once: null });
    expect((await replay.range(at('b'), 1, 60_000))?.entries).toHaveLength(1);
    await end();
  });
});
