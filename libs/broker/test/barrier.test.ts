import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Refused } from '../src/cluster/wire.js';
import { Barrier } from '../src/drivers/nats/barrier.js';

function scene() {
  const asked: {
    readonly about: number;
    readonly resolve: () => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  const left: string[][] = [];
  let waiting: string[] = [];
  const leave = (): void => {
    if (waiting.length > 0) left.push(waiting);
    waiting = [];
  };
  const barrier = new Barrier({
    leave,
    ask: (answered) => {
      leave();
      asked.push({
        about: left.flat().length,
        resolve: () => answered(null),
        reject: (error) => answered(error),
      });
    },
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
  const taken = (): Promise<string> =>
    barrier.taken().then(
      () => 'all',
      ({ addresses }: Refused) => `not ${[...addresses].join()}`,
    );
  return {
    asked,
    left,
    settled,
    pass,
    questions,
    taken,
    refused: (address: string) => barrier.refused(address),
  };
}

describe('a question to the broker', () => {
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

  it('leaves with what it is about after a pause', async () => {
    const { asked, settled, pass } = scene();
    void pass('one');
    await turn();
    await pause(20);
    void pass('two');
    await turn();
    expect(asked).toHaveLength(2);
    for (const { resolve } of asked) resolve();
    await turn();
    expect(settled).toEqual(['one', 'two']);
  });

  it('confirms all that has left before it, and nothing that came after', async () => {
    const { asked, left, settled, pass } = scene();
    const names = Array.from({ length: 60 }, (_, at) => String(at));
    for (const name of names) {
      void pass(name);
      if (Number(name) % 3 === 0) await turn();
      if (Number(name) % 20 === 0) await pause(1);
    }
    while (asked.at(-1)?.about !== names.length) await pause(1);
    expect(left.flat()).toEqual(names);
    for (const { about, resolve } of asked) {
      resolve();
      await turn();
      expect(settled).toEqual(names.slice(0, about));
    }
    expect(settled).toEqual(names);
  });

  it('does not wait for others again right after it has waited in vain', async () => {
    const { asked, pass, questions } = scene();
    let atOnce = 0;
    // Each message comes after the answer to the last one, as fast as can be.
    for (let count = 1; count <= 40; count += 1) {
      const passed = pass('one');
      await turn();
      if (asked.length === count) atOnce += 1;
      await questions(count);
      asked[count - 1]?.resolve();
      await passed;
    }
    expect(atOnce).toBeGreaterThan(32);
  });

  it('is answered for what was sent before it, without what was refused of that', async () => {
    const { asked, questions, taken, refused, settled, pass } = scene();
    const outcomes = [taken()];
    await turn();
    outcomes.push(taken());
    void pass('whoever only wants to know that it has passed');
    await turn();
    refused('a');
    refused('b');
    asked[0]?.resolve();
    // No ping is open: the refusal concerns messages before the next one.
    refused('c');
    await questions(2);
    outcomes.push(taken());
    asked[1]?.resolve();
    await questions(3);
    asked[2]?.resolve();
    expect(await Promise.all(outcomes)).toEqual(['not a,b', 'not c', 'all']);
    expect(settled).toHaveLength(1);
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
