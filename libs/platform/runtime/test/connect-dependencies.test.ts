import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectDependencies, DependencyError } from '../src/index.js';
import { capturedLog } from './fixtures.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const log = () => capturedLog().logging.for('service::ops');
const refused = async (): Promise<void> => {
  throw new Error('postgres://u:pw@db refused');
};

describe('connecting dependencies', () => {
  it('retries each with doubling pauses up to 5 s until it works', async () => {
    const began = Date.now();
    const attempts: number[] = [];
    const done = connectDependencies(
      [
        {
          name: 'cache',
          connect: async () => {
            attempts.push(Date.now() - began);
            if (attempts.length < 8) throw new Error('not yet');
          },
        },
        { name: 'queue', connect: async () => undefined },
      ],
      { startup_timeout_ms: 30_000, log: log() },
    );
    await vi.advanceTimersByTimeAsync(30_000);
    await done;
    expect(attempts).toEqual([0, 200, 600, 1400, 3000, 6200, 11_200, 16_200]);
  });

  it('fails after the start-up time naming every part that is down, and no secret', async () => {
    const connected = vi.fn(async () => undefined);
    const failure = connectDependencies(
      [
        { name: 'app store', connect: refused },
        { name: 'cache', connect: connected },
        { name: 'history store', connect: () => new Promise(() => undefined) },
      ],
      { startup_timeout_ms: 3000, log: log() },
    ).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(3000);
    const error = await failure;
    expect(error).toBeInstanceOf(DependencyError);
    expect((error as DependencyError).parts).toEqual(['app store', 'history store']);
    expect((error as DependencyError).message).toBe(
      'not connected within 3000 ms: app store (postgres://<redacted>@db refused), history store (no answer)',
    );
    expect(connected).toHaveBeenCalledTimes(1);
  });

  it('tells an attempt when its time is over', async () => {
    const signals: AbortSignal[] = [];
    const failure = connectDependencies(
      [
        {
          name: 'cache',
          connect: (signal) => {
            signals.push(signal);
            return new Promise(() => undefined);
          },
        },
      ],
      { startup_timeout_ms: 1000, log: log() },
    ).catch(() => 'failed');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await failure).toBe('failed');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('gives up when the process is told to stop', async () => {
    const controller = new AbortController();
    const failure = connectDependencies([{ name: 'cache', connect: refused }], {
      startup_timeout_ms: 30_000,
      log: log(),
      signal: controller.signal,
    }).catch((error: unknown) => (error as Error).message);
    await vi.advanceTimersByTimeAsync(1000);
    controller.abort();
    expect(await failure).toContain('stopped while starting');
  });
});
