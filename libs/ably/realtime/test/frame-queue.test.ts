import { describe, expect, it } from 'vitest';
import { FrameQueue } from '../src/frame-queue.js';

const scene = () => {
  const owner = { isOpen: true };
  const done: number[] = [];
  const troubles: unknown[] = [];
  const queue = new FrameQueue(owner);
  const waits: (() => void)[] = [];
  const add = (number: number, bytes = 1): boolean =>
    queue.add(
      bytes,
      async () => {
        await new Promise<void>((go) => void waits.push(go));
        done.push(number);
        if (number === 2) throw new Error('two');
      },
      (_what, error) => troubles.push(error),
    );
  const go = async (): Promise<void> => {
    waits.shift()?.();
    await new Promise((later) => setImmediate(later));
  };
  return { owner, done, troubles, add, go };
};

describe('what a connection asked for', () => {
  it('is done in order, whatever goes wrong', async () => {
    const { add, go, done, troubles } = scene();
    for (const number of [1, 2, 3]) expect(add(number)).toBe(true);
    await go();
    await go();
    await go();
    expect(done).toEqual([1, 2, 3]);
    expect(troubles).toHaveLength(1);
  });

  it('is bounded in number and bytes, and what is done makes room', async () => {
    const { add, go } = scene();
    add(0);
    for (let number = 1; number <= 4096; number += 1) expect(add(number)).toBe(true);
    expect(add(4097)).toBe(false);
    await go();
    expect(add(4097)).toBe(true);
    const large = scene();
    large.add(0);
    expect(large.add(1, 16 * 1024 * 1024)).toBe(true);
    expect(large.add(2)).toBe(false);
  });

  it('is forgotten when the connection ends', async () => {
    const { add, go, done, owner } = scene();
    add(1);
    add(2);
    owner.isOpen = false;
    await go();
    await go();
    expect(done).toEqual([1]);
  });
});
