import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Interests } from '../../src/users/interests.js';

/** A pending broker response that the test releases. */
class Hold {
  release: () => void = () => {};
  fail: () => void = () => {};
  readonly settled = new Promise<void>((resolve, reject) => {
    this.release = resolve;
    this.fail = () => reject(new Error('out of reach'));
  });
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const RETRY_MS = 5000;

function scene() {
  const holds: Hold[] = [];
  const troubles: unknown[] = [];
  let asks = 0;
  const broker = {
    confirm: (): Hold | null => {
      const hold = new Hold();
      holds.push(hold);
      return hold;
    },
    subscribe: (): Promise<void> | undefined => {
      asks += 1;
      return broker.confirm()?.settled;
    },
    unsubscribe: () => {},
  };
  const interests = new Interests(broker, (_, error) => troubles.push(error));
  /** All subscribe requests that the broker received. */
  const asked = () => asks;
  return { broker, holds, interests, troubles, asked };
}

describe('interest in a user', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('needs no wait where everything comes anyway', () => {
    const { broker, interests } = scene();
    broker.confirm = () => null;
    expect(interests.want('shop', 'u')).toBeUndefined();
    expect(interests.attempt('shop', 'u')).toBeUndefined();
  });

  it('is waited for by everybody who wants it until it is confirmed', async () => {
    const { interests, holds } = scene();
    const first = interests.want('shop', 'u');
    expect(interests.attempt('shop', 'u')).toBe(first);
    expect(interests.attempt('other', 'u')).toBeUndefined();
    holds[0]?.release();
    await first;
    expect(interests.attempt('shop', 'u')).toBeUndefined();
  });

  it('is asked for again after a failure until it is confirmed', async () => {
    const { interests, holds, asked, troubles } = scene();
    const first = interests.want('shop', 'u');
    holds[0]?.fail();
    await first;
    vi.advanceTimersByTime(RETRY_MS);
    expect(asked()).toBe(2);
    holds[1]?.fail();
    await turn();
    vi.advanceTimersByTime(RETRY_MS);
    holds[2]?.release();
    await turn();
    vi.advanceTimersByTime(10 * RETRY_MS);
    expect([asked(), troubles.length]).toEqual([3, 2]);
    expect(interests.attempt('shop', 'u')).toBeUndefined();
  });

  it('that nobody has any more is not asked for again', async () => {
    const { interests, holds, asked } = scene();
    const [one, other] = [interests.want('shop', 'one'), interests.want('shop', 'other')];
    interests.drop('shop', 'one');
    for (const hold of holds) hold.fail();
    await Promise.all([one, other]);
    interests.drop('shop', 'other');
    vi.advanceTimersByTime(10 * RETRY_MS);
    expect(asked()).toBe(2);
  });

  it('is not asked for again after a stop', async () => {
    const { interests, holds, asked } = scene();
    const first = interests.want('shop', 'u');
    holds[0]?.fail();
    await first;
    interests.stop();
    vi.advanceTimersByTime(10 * RETRY_MS);
    expect(asked()).toBe(1);
  });
});
