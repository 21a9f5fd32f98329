import { describe, expect, it } from 'vitest';
import { LoopShare } from '../src/fair/loop-share.js';

/** A clock whose callbacks run on request, one event-loop turn after the other. */
class TestClock {
  ms = 0;
  readonly #due: { readonly atMs: number; readonly run: () => void }[] = [];

  readonly now = (): number => this.ms;
  readonly after = (delayMs: number, run: () => void): void =>
    void this.#due.push({ atMs: this.ms + delayMs, run });

  get isIdle(): boolean {
    return this.#due.length === 0;
  }

  /** Runs the next callback at its time, then its effects. */
  async turn(): Promise<void> {
    const next = this.#due.shift();
    if (next === undefined) return;
    this.ms = Math.max(this.ms, next.atMs);
    next.run();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const PIECE_MS = 3;

function scene() {
  const clock = new TestClock();
  const share = new LoopShare({ part: 0.25, burstMs: 4 }, clock);
  const done: { readonly app: string; readonly atMs: number }[] = [];
  const work = async (app: string, pieces: number): Promise<void> => {
    for (let piece = 0; piece < pieces; piece += 1) {
      const turn = share.turn(app);
      if (turn !== undefined) await turn;
      share.measure(() => {
        clock.ms += PIECE_MS;
      });
      done.push({ app, atMs: clock.ms });
    }
  };
  return { clock, share, done, work };
}

describe('LoopShare', () => {
  it('lets a piece run at once when nothing has run for a while', () => {
    const { share } = scene();
    expect([share.turn('a'), share.waitingApps]).toEqual([undefined, 0]);
  });

  it('runs one piece in a turn of the loop when the budget is spent', async () => {
    const { clock, done, work } = scene();
    const works = Promise.all([work('a', 4), work('b', 4)]);
    await new Promise((resolve) => setImmediate(resolve));
    const first = done.length;
    expect(first).toBeLessThanOrEqual(2);
    let before = first;
    while (!clock.isIdle) {
      await clock.turn();
      expect(done.length - before).toBeLessThanOrEqual(1);
      before = done.length;
    }
    await works;
    expect(done).toHaveLength(8);
  });

  it('takes no more than its part of the time when work is always waiting', async () => {
    const { clock, done, work } = scene();
    const works = work('a', 40);
    while (done.length < 40) await clock.turn();
    await works;
    const workedMs = done.length * PIECE_MS;
    expect(workedMs).toBeLessThanOrEqual(clock.ms * 0.25 + 4 + PIECE_MS);
  });

  it('gives apps turns when one of them has much more work', async () => {
    const { clock, done, work } = scene();
    const works = [work('large', 20), work('large', 20), work('small', 3)];
    while (done.length < 43) await clock.turn();
    await Promise.all(works);
    expect(done.findLastIndex(({ app }) => app === 'small')).toBeLessThan(10);
  });
});
