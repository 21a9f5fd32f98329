import { describe, expect, it } from 'vitest';
import { openMemory } from './memory-scene.js';

describe('a driver that keeps no order', () => {
  it('refuses jobs that stand in line, names the option, and takes others', async () => {
    const queue = await openMemory();
    Object.assign(queue.capabilities, { lines: false });
    const refusal = 'queue driver memory: lines is not supported';
    await expect(queue.enqueue('q', 'x', { lines: ['a'] })).rejects.toThrow(refusal);
    await expect(queue.enqueueBatch('q', [{ data: 'x' }, { data: 'y', lines: ['a'] }])).rejects.toThrow(
      refusal,
    );
    expect(await queue.stats('q')).toMatchObject({ ready: 0, delayed: 0 });
    await queue.enqueue('q', 'x', { lines: [] });
    expect(await queue.stats('q')).toMatchObject({ ready: 1 });
  });
});
