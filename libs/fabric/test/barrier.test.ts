import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Barrier } from '../src/drivers/nats/barrier.js';

function scene() {
  const asked: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const left: string[][] = [];
  let waiting: string[] = [];
  const barrier = new Barrier({
    leave: () => {
      if (waiting.length > 0) left.push(waiting);
      waiting = [];
    },
    roundTrip: () => new Promise((resolve, reject) => void asked.push({ resolve, reject })),
  });
  const settled: string[] = [];
  const pass = (name: string): Promise<void> => {
    waiting.push(name);
    const passed = barrier.pass();
    passed.then(
      () => settled.push(name),
      () => settled.push(`${name} failed`),
    );
    return passed;
  };
  const questions = async (count: number): Promise<void> => {
    while (asked.length < count) await pause(1);
  };
  return { asked, left, settled, pass, questions };
}

describe('a round trip to the broker', () => {
  it('is shared by all who came in one turn of the event loop, whose messages leave together', async () => {
    const { asked, left, settled, pass } = scene();
    const promises = new Set(['one', 'two', 'three'].map(pass));
    expect([promises.size, left, asked.length]).toEqual([1, [], 0]);
    await turn();
    expect([left, asked.length]).toEqual([[['one', 'two', 'three']], 1]);
    asked[0]?.resolve();
    await turn();
    expect(settled).toEqual(['one', 'two', 'three']);
  });

  it('is shared by all who came while another was under way, and says nothing to them before', async () => {
    const { asked, left, settled, pass, questions } = scene();
    void pass('one');
    await turn();
    void pass('two');
    await turn();
    void pass('three');
    await turn();
    expect([left, asked.length]).toEqual([[['one'], ['two'], ['three']], 1]);
    asked[0]?.resolve();
    await questions(2);
    expect(settled).toEqual(['one']);
    void pass('four');
    asked[1]?.resolve();
    await questions(3);
    expect(settled).toEqual(['one', 'two', 'three']);
    asked[2]?.resolve();
    await turn();
    expect(settled).toEqual(['one', 'two', 'three', 'four']);
  });

  it('covers what came after the end of the turn in which it was arranged', async () => {
    const { asked, left, settled, pass, questions } = scene();
    void pass('one');
    await turn();
    void pass('two');
    await turn();
    asked[0]?.resolve();
    await turn();
    void pass('three');
    await questions(2);
    asked[1]?.resolve();
    await turn();
    expect([left, settled, asked.length]).toEqual([[['one'], ['two'], ['three']], ['one', 'two', 'three'], 2]);
  });

  it('begins at the end of the turn after a pause', async () => {
    const { asked, settled, pass } = scene();
    void pass('one');
    await turn();
    asked[0]?.resolve();
    await pause(20);
    void pass('two');
    await turn();
    expect(asked).toHaveLength(2);
    asked[1]?.resolve();
    await turn();
    expect(settled).toEqual(['one', 'two']);
  });

  it('that fails says so to all who shared it, and the next one is tried', async () => {
    const { asked, settled, pass, questions } = scene();
    for (const name of ['one', 'two']) void pass(name);
    await turn();
    void pass('three');
    asked[0]?.reject(new Error('lost'));
    await questions(2);
    expect(settled).toEqual(['one failed', 'two failed']);
    asked[1]?.resolve();
    await turn();
    expect(settled).toEqual(['one failed', 'two failed', 'three']);
  });
});
