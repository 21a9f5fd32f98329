import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CleanupQueue, type CleanupOptions } from '../../src/leave/cleanup-queue.js';

const OPTIONS: CleanupOptions = {
  async_enabled: true,
  fallback_to_sync: true,
  queue_buffer_size: 1000,
  batch_size: 3,
  batch_timeout_ms: 100,
  max_retry_attempts: 2,
  workers: 1,
};

/** A queue whose tasks are recorded, and complete immediately by default. */
class Scene {
  readonly done: number[] = [];
  readonly lost: string[] = [];
  fallbacks = 0;
  /** Runs before a task completes; may reject. */
  before: (task: number) => Promise<void> = () => Promise.resolve();
  readonly queue: CleanupQueue<number>;

  constructor(options: Partial<CleanupOptions> = {}) {
    this.queue = new CleanupQueue<number>(
      { ...OPTIONS, ...options },
      async (task) => {
        await this.before(task);
        this.done.push(task);
      },
      {
        lost: (error) => void this.lost.push(String(error)),
        full: () => void (this.fallbacks += 1),
      },
    );
  }

  add(...tasks: number[]): void {
    for (const task of tasks) this.queue.add(task);
  }

  /** Returns the completed tasks after a number of turns of the loop, without advancing time. */
  async turns(count = 1): Promise<readonly number[]> {
    for (let turn = 0; turn < count; turn += 1) await vi.advanceTimersByTimeAsync(0);
    return this.done;
  }
}

const fails = (): Promise<void> => Promise.reject(new Error('store away'));
const BREAKER_MS = 30_000;

describe('the cleanup queue', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('does nothing in the turn a task is added, and a batch in the next', async () => {
    const scene = new Scene();
    scene.add(1, 2);
    expect(scene.queue.size).toBe(2);
    expect(scene.done).toEqual([]);
    expect(await scene.turns()).toEqual([1, 2]);
    expect(scene.queue.size).toBe(0);
  });

  it('takes a batch at a time, with a turn in between while they are full', async () => {
    const scene = new Scene();
    scene.add(1, 2, 3, 4, 5, 6, 7);
    vi.runAllTicks();
    const seen: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      vi.advanceTimersToNextTimer();
      await Promise.resolve();
      await Promise.resolve();
      seen.push(scene.done.length);
    }
    // The remainder of a batch waits until its time is over.
    expect(seen).toEqual([3, 6, 7]);
  });

  it('lets the rest of a batch wait for its time, or until it is full', async () => {
    const scene = new Scene();
    scene.add(1, 2, 3, 4);
    expect(await scene.turns(5)).toEqual([1, 2, 3]);
    await vi.advanceTimersByTimeAsync(99);
    expect(scene.done).toEqual([1, 2, 3]);
    await vi.advanceTimersByTimeAsync(1);
    expect(scene.done).toEqual([1, 2, 3, 4]);
    scene.add(5, 6, 7, 8);
    expect(await scene.turns(5)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    scene.add(9, 10);
    expect(await scene.turns(5)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('spreads tasks over its queues, each with its own batch', async () => {
    const scene = new Scene({ workers: 2, batch_size: 2 });
    scene.add(1, 2, 3, 4, 5, 6);
    await vi.advanceTimersByTimeAsync(0);
    expect([...scene.done].sort()).toEqual([1, 2, 3, 4]);
  });

  it('works in line when it is not asynchronous', () => {
    const scene = new Scene({ async_enabled: false });
    const begun: number[] = [];
    scene.before = async (task) => void begun.push(task);
    scene.add(1, 2);
    expect(begun).toEqual([1, 2]);
  });

  it('works in line when every queue is full, and never holds more', () => {
    const scene = new Scene({ workers: 2, queue_buffer_size: 2 });
    const begun: number[] = [];
    scene.before = async (task) => void begun.push(task);
    scene.add(1, 2, 3, 4);
    expect(begun).toEqual([]);
    expect(scene.fallbacks).toBe(0);
    scene.add(5, 6);
    expect(begun).toEqual([5, 6]);
    expect([scene.fallbacks, scene.queue.size]).toEqual([2, 6]);
  });

  it('tries again later instead when told so, and says what it gave up', async () => {
    const scene = new Scene({ fallback_to_sync: false, queue_buffer_size: 1, batch_size: 1 });
    scene.add(1, 2);
    expect(scene.queue.size).toBe(2);
    // A turn of the loop takes a millisecond of the replaced clock.
    await vi.advanceTimersByTimeAsync(101);
    expect(scene.done).toEqual([1, 2]);

    const blocked = new Scene({ fallback_to_sync: false, queue_buffer_size: 1, batch_timeout_ms: 50 });
    // No task is taken: the loop has no turn for batches.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    blocked.add(1, 2);
    vi.advanceTimersByTime(99);
    expect(blocked.lost).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(blocked.lost).toEqual(['Error: cleanup queues are full']);
  });

  it('finds room for a task at any of its attempts, and does it once', async () => {
    const scene = new Scene({
      fallback_to_sync: false,
      queue_buffer_size: 1,
      batch_timeout_ms: 50,
      max_retry_attempts: 3,
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    scene.add(1, 2);
    vi.advanceTimersByTime(149);
    // The batch that frees capacity runs just before the last attempt.
    await new Promise((resolve) => void setImmediate(resolve));
    expect(scene.done).toEqual([1]);
    vi.advanceTimersByTime(1);
    await new Promise((resolve) => void setImmediate(resolve));
    expect([scene.done, scene.lost, scene.queue.size]).toEqual([[1, 2], [], 0]);
  });

  it('gives up at once, and says so, where nothing is tried again', () => {
    const scene = new Scene({ fallback_to_sync: false, queue_buffer_size: 1, max_retry_attempts: 0 });
    scene.add(1, 2);
    expect(scene.lost).toEqual(['Error: cleanup queues are full']);
    expect(scene.queue.size).toBe(1);
  });

  it('does what is added while it empties before it says it is empty, failing or not', async () => {
    const scene = new Scene();
    scene.before = async (task) => {
      if (task < 5) scene.add(task + 1);
      await Promise.resolve();
      if (task % 2 === 0) throw new Error(`task ${task}`);
    };
    scene.add(1);
    await scene.queue.empty();
    expect([scene.done, scene.lost.length, scene.queue.size]).toEqual([[1, 3, 5], 2, 0]);
  });

  it('says it is empty at once when nothing was ever to be done, and can be used again', async () => {
    const scene = new Scene();
    await scene.queue.empty();
    scene.add(1);
    expect(await scene.turns()).toEqual([1]);
  });

  it('works in line for a failing store as long as it is told to, and empties all the same', async () => {
    const scene = new Scene({ batch_size: 100 });
    scene.before = fails;
    for (let task = 1; task <= 11; task += 1) scene.add(task);
    await scene.turns();
    scene.add(12);
    await scene.queue.empty();
    expect([scene.lost.length, scene.queue.size]).toEqual([12, 0]);
  });

  it('empties itself at once: what waits, what waits for another attempt, and what is being done', async () => {
    const scene = new Scene({ fallback_to_sync: false, queue_buffer_size: 3 });
    const release: (() => void)[] = [];
    scene.before = () => new Promise((resolve) => void release.push(resolve));
    scene.add(1, 2, 3);
    await scene.turns();
    expect(release).toHaveLength(3);
    scene.add(4, 5, 6, 7);
    let isEmpty = false;
    const emptied = scene.queue.empty().then(() => (isEmpty = true));
    await scene.turns(3);
    expect(release).toHaveLength(7);
    for (const one of release.slice(1)) one();
    await scene.turns(3);
    expect([scene.queue.size, isEmpty]).toEqual([1, false]);
    release[0]?.();
    await emptied;
    expect([...scene.done].sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(scene.done).toHaveLength(7);
  });

  it('goes on after a task that fails, and says so', async () => {
    const scene = new Scene();
    scene.before = (task) => (task === 2 ? fails() : Promise.resolve());
    scene.add(1, 2, 3);
    expect(await scene.turns()).toEqual([1, 3]);
    expect(scene.lost).toEqual(['Error: store away']);
    expect(scene.queue.size).toBe(0);
  });

  it('works in line for half a minute after more than 10 failures in a row', async () => {
    const scene = new Scene({ batch_size: 100 });
    const begun: number[] = [];
    scene.before = (task) => {
      begun.push(task);
      return fails();
    };
    for (let task = 1; task <= 10; task += 1) scene.add(task);
    await scene.turns();
    scene.add(11);
    expect(begun).toHaveLength(10);
    await scene.turns();
    scene.add(12);
    expect(begun).toHaveLength(12);
    await vi.advanceTimersByTimeAsync(BREAKER_MS - 1);
    scene.before = async (task) => void begun.push(task);
    scene.add(13);
    expect(begun).toHaveLength(13);
    await vi.advanceTimersByTimeAsync(1);
    scene.add(14);
    expect(begun).toHaveLength(13);
    await scene.turns();
    expect(scene.done).toEqual([13, 14]);
  });

  it('is back to working in line when the first task after that fails too', async () => {
    const scene = new Scene({ batch_size: 100 });
    const begun: number[] = [];
    scene.before = (task) => {
      begun.push(task);
      return fails();
    };
    for (let task = 1; task <= 11; task += 1) scene.add(task);
    await scene.turns();
    // Failures meanwhile do not postpone the trial.
    await vi.advanceTimersByTimeAsync(BREAKER_MS - 1);
    scene.add(12);
    await vi.advanceTimersByTimeAsync(1);
    scene.add(13);
    expect(begun).toHaveLength(12);
    await scene.turns();
    scene.add(14);
    expect(begun).toHaveLength(14);
  });

  it('counts only failures in a row', async () => {
    const scene = new Scene({ batch_size: 100 });
    scene.before = (task) => (task % 11 === 0 ? Promise.resolve() : fails());
    for (let task = 1; task <= 110; task += 1) scene.add(task);
    await scene.turns();
    const begun: number[] = [];
    scene.before = async (task) => void begun.push(task);
    scene.add(111);
    expect(begun).toEqual([]);
  });

  it('does every task exactly once, whatever its bounds and however they come', async () => {
    const options = fc.record({
      queue_buffer_size: fc.integer({ min: 1, max: 10 }),
      batch_size: fc.integer({ min: 1, max: 10 }),
      batch_timeout_ms: fc.integer({ min: 1, max: 20 }),
      workers: fc.integer({ min: 1, max: 3 }),
      async_enabled: fc.boolean(),
      // Enough retries that no task is given up.
      fallback_to_sync: fc.boolean(),
      max_retry_attempts: fc.constant(1000),
    });
    const arrivals = fc.array(fc.tuple(fc.nat(15), fc.nat(10)), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(options, arrivals, async (bounds, bursts) => {
        const scene = new Scene(bounds);
        scene.before = () => Promise.resolve();
        let added = 0;
        for (const [tasks, waitMs] of bursts) {
          for (let count = 0; count < tasks; count += 1) scene.add((added += 1));
          expect(scene.queue.size).toBeLessThanOrEqual(added);
          await vi.advanceTimersByTimeAsync(waitMs);
        }
        await scene.queue.empty();
        expect(scene.queue.size).toBe(0);
        const ordered = [...scene.done].sort((one, other) => one - other);
        expect(ordered).toEqual(Array.from({ length: added }, (_, index) => index + 1));
      }),
      { numRuns: 50 },
    );
  });
});
