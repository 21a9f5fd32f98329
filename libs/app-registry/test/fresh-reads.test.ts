import { expect, it, vi } from 'vitest';
import type { App } from '../src/app.js';
import { FreshReads } from '../src/fresh-reads.js';

it('FreshReads shares one read between the callers that wait for it, and starts 4 a second per app', async () => {
  vi.useFakeTimers();
  try {
    const started: number[] = [];
    const reads = new FreshReads(
      async () => {
        started.push(Date.now());
        return null;
      },
      () => Date.now(),
    );
    const beginMs = Date.now();
    await Promise.all([reads.of('a'), reads.of('a')]);
    expect(started).toEqual([beginMs]);
    const second = [reads.of('a'), reads.of('a')] as Promise<App | null>[];
    await vi.advanceTimersByTimeAsync(250);
    await Promise.all(second);
    expect(started).toEqual([beginMs, beginMs + 250]);
    await reads.of('b');
    expect(started).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});

it('FreshReads gives each caller a read that began after its call', async () => {
  const ends: (() => void)[] = [];
  let starts = 0;
  const reads = new FreshReads(
    () =>
      new Promise((done) => {
        starts += 1;
        ends.push(() => done(null));
      }),
    () => starts * 1000,
  );
  const first = reads.of('a');
  await vi.waitFor(() => expect(starts).toBe(1));
  const late = reads.of('a');
  await vi.waitFor(() => expect(starts).toBe(2));
  ends.at(-1)?.();
  await late;
  expect(first).not.toBe(late);
});

it('FreshReads refuses callers beyond 1,000 immediately', async () => {
  const reads = new FreshReads(
    () => new Promise(() => undefined),
    () => 0,
  );
  for (let count = 0; count < 1000; count++) expect(reads.of('a')).toBeInstanceOf(Promise);
  expect(reads.of('a')).toBeUndefined();
});
