import { describe, expect, it } from 'vitest';
import { type EngineLane, EngineTurns } from '../src/embedded/engine-turns.js';

const READS: EngineLane = { isDeferrable: true, waiting: 20 };
const COMMITS: EngineLane = { isDeferrable: false, waiting: 100 };

/** Calls that are answered in a later turn of the event loop, and the order in which they began. */
function scene() {
  const turns = new EngineTurns();
  const begun: string[] = [];
  let running = 0;
  const call = (lane: EngineLane, name: string): Promise<void> =>
    turns.run(lane, async () => {
      running += 1;
      expect(running).toBe(1);
      begun.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    });
  return { call, begun };
}

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

describe('EngineTurns', () => {
  it('runs commits before the reads in line when both wait, one call at a time', async () => {
    const { call, begun } = scene();
    const reads = named('read ', 5).map((name) => call(READS, name));
    const commits = named('commit ', 3).map((name) => call(COMMITS, name));
    await Promise.all([...reads, ...commits]);
    expect(begun).toEqual(['read 1', ...named('commit ', 3), 'read 2', 'read 3', 'read 4', 'read 5']);
  });

  it('runs a read after eight commits when commits keep coming', async () => {
    const { call, begun } = scene();
    const commits = named('commit ', 30).map((name) => call(COMMITS, name));
    const reads = named('read ', 3).map((name) => call(READS, name));
    await Promise.all([...commits, ...reads]);
    expect(reads.map((_, index) => begun.indexOf(`read ${index + 1}`))).toEqual([9, 18, 27]);
  });

  it('rejects a call when too many of its lane wait, and none of another lane', async () => {
    const { call } = scene();
    const running = call(COMMITS, 'commit');
    const waiting = named('read ', READS.waiting).map((name) => call(READS, name));
    await expect(call(READS, 'one more')).rejects.toMatchObject({ reason: 'busy' });
    await Promise.all([running, call(COMMITS, 'another'), ...waiting]);
  });

  it('goes on with the next call when one rejects', async () => {
    const turns = new EngineTurns();
    const failed = turns.run(COMMITS, () => Promise.reject(new Error('refused')));
    const next = turns.run(COMMITS, async () => 'answer');
    await expect(failed).rejects.toThrow('refused');
    expect(await next).toBe('answer');
  });
});
