import { describe, expect, it } from 'vitest';
import { DispatchPool, SENT_AT_ONCE } from '../src/pipeline/dispatch-pool.js';

const opened = () => {
  const clock = { ms: 0 };
  const begun: string[] = [];
  const pool = new DispatchPool(
    1,
    () => clock.ms,
    (app) => begun.push(app),
  );
  const turn = (app: string, signal = new AbortController().signal) => pool.turn(app, 10, signal);
  return { clock, begun, pool, turn };
};
const times = <Value>(count: number, make: () => Value): Value[] => Array.from({ length: count }, make);

describe('the workers of a provider', () => {
  it('are taken by one app alone, and then by turns', async () => {
    const { begun, pool, turn } = opened();
    const first = times(20, () => turn('large'));
    await Promise.all(first.slice(0, SENT_AT_ONCE));
    expect([pool.busy, pool.size]).toEqual([SENT_AT_ONCE, SENT_AT_ONCE]);
    const small = turn('small');
    pool.leave('large');
    expect(begun.at(-1)).toBe('large');
    pool.leave('large');
    expect(begun.at(-1)).toBe('small');
    expect(await small).toBe('go');
  });

  it('put back what an app has beyond its share, so that others can be seen, and only so much of it', async () => {
    const { clock, turn } = opened();
    const held = times(24, () => turn('large'));
    expect(await turn('large')).toBe('back');
    expect(held).toHaveLength(24);
    void turn('small');
    const backs = await Promise.all(times(63, () => turn('large')));
    expect(new Set(backs)).toEqual(new Set(['back']));
    void turn('large').then(() => expect.unreachable());
    clock.ms = 1000;
    expect(await turn('large')).toBe('back');
  });

  it('tell how long the first of each app has waited', () => {
    const { clock, pool, turn } = opened();
    void times(SENT_AT_ONCE + 1, () => turn('large'));
    clock.ms = 300;
    expect([...pool.starvation()]).toEqual([['large', 300]]);
    pool.leave('large');
    expect([...pool.starvation()]).toEqual([]);
  });

  it('are not waited for when the lease is lost', async () => {
    const { pool, turn } = opened();
    void times(SENT_AT_ONCE, () => turn('large'));
    const lost = new AbortController();
    const waiting = turn('small', lost.signal);
    lost.abort();
    expect(await waiting).toBe('lost');
    expect([...pool.starvation()]).toEqual([]);
    expect(await turn('large', AbortSignal.abort())).toBe('lost');
  });
});
