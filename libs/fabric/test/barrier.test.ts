import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Barrier } from '../src/drivers/nats/barrier.js';

function scene() {
  const asked: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const barrier = new Barrier(() => new Promise((resolve, reject) => void asked.push({ resolve, reject })));
  const settled: string[] = [];
  const pass = (name: string): void =>
    void barrier.pass().then(
      () => settled.push(name),
      () => settled.push(`${name} failed`),
    );
  return { asked, settled, pass };
}

describe('a round trip to the broker', () => {
  it('begins at once, and again at once when none is under way', async () => {
    const { asked, settled, pass } = scene();
    pass('one');
    expect(asked).toHaveLength(1);
    asked[0]?.resolve();
    await soon();
    pass('two');
    expect(asked).toHaveLength(2);
    asked[1]?.resolve();
    await soon();
    expect(settled).toEqual(['one', 'two']);
  });

  it('is shared by all who came while another was under way, and says nothing to them before', async () => {
    const { asked, settled, pass } = scene();
    for (const name of ['one', 'two', 'three']) pass(name);
    expect(asked).toHaveLength(1);
    asked[0]?.resolve();
    await soon();
    expect([settled, asked.length]).toEqual([['one'], 2]);
    pass('four');
    asked[1]?.resolve();
    await soon();
    expect([settled, asked.length]).toEqual([['one', 'two', 'three'], 3]);
    asked[2]?.resolve();
    await soon();
    expect(settled).toHaveLength(4);
  });

  it('that fails says so to those who shared it, and the next one is tried', async () => {
    const { asked, settled, pass } = scene();
    for (const name of ['one', 'two']) pass(name);
    asked[0]?.reject(new Error('lost'));
    await soon();
    expect(settled).toEqual(['one failed']);
    asked[1]?.resolve();
    await soon();
    expect(settled).toEqual(['one failed', 'two']);
  });
});
