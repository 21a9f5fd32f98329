import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/leave/turns.js';

describe('steps spread over turns of the loop', () => {
  it('are so many a turn, whoever takes them, and all are taken', async () => {
    const turns = new Turns(10);
    let inTurn = 0;
    const perTurn: number[] = [];
    const work = async (): Promise<void> => {
      for (let step = 0; step < 25; step += 1) {
        const turn = turns.step();
        if (turn !== undefined) await turn;
        inTurn += 1;
      }
    };
    const all = Promise.all([work(), work(), work(), work()]);
    while (perTurn.reduce((sum, one) => sum + one, 0) < 100) {
      perTurn.push(inTurn);
      inTurn = 0;
      await nextTurn();
    }
    await all;
    expect(Math.max(...perTurn)).toBe(10);
    expect(perTurn.reduce((sum, one) => sum + one, 0)).toBe(100);
  });

  it('are taken at once while few are', () => {
    const turns = new Turns(2);
    expect([turns.step(), turns.step(), turns.step()]).toEqual([undefined, undefined, expect.any(Promise)]);
  });
});
