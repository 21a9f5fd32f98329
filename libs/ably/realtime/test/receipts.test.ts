import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CompatConnection } from '../src/connection.js';
import { Receipts } from '../src/receipts.js';

afterEach(() => vi.useRealTimers());

/** Receipts of one connection, in a store that answers when it is let. */
function scene() {
  vi.useFakeTimers();
  const answer: ((error?: Error) => void)[] = [];
  const written: string[] = [];
  const shared = {
    get: async () => null,
    set: (name: string, text: string) =>
      new Promise<void>((resolve, reject) => {
        written.push(`${name} ${text}`);
        answer.push((error) => (error === undefined ? resolve() : reject(error)));
      }),
  };
  const trouble = vi.fn();
  const receipts = new Receipts(shared, trouble);
  const connection = {
    id: '1.2',
    hub: { appId: 'shop' },
    receipts: new Map(),
  } as unknown as CompatConnection;
  const settled: number[] = [];
  const note = (msgSerial: number): void =>
    void receipts.note(connection, msgSerial, [`s${msgSerial}`])?.then(() => settled.push(msgSerial));
  return { note, answer, written, trouble, settled };
}

describe('what a connection was answered', () => {
  it('is known to all before it is answered', async () => {
    const { note, answer, written, settled } = scene();
    note(0);
    note(1);
    await vi.advanceTimersByTimeAsync(5);
    expect(written).toEqual(['compat:receipts:shop:1.2:0 {"0":["s0"],"1":["s1"]}']);
    note(2);
    expect(settled).toEqual([]);
    answer[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(settled).toEqual([0, 1]);
  });

  it('is answered all the same where a store does not take it, or not in its time', async () => {
    const { note, answer, trouble, settled } = scene();
    note(0);
    await vi.advanceTimersByTimeAsync(5);
    answer[0]?.(new Error('away'));
    await vi.advanceTimersByTimeAsync(0);
    expect([settled, trouble.mock.calls.length]).toEqual([[0], 1]);
    note(1);
    await vi.advanceTimersByTimeAsync(5 + 999);
    expect(settled).toEqual([0]);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toEqual([0, 1]);
  });
});
