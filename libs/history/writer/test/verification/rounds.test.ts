import type { LaneAnswer, LaneRequest } from '../../src/index.js';
import { type DegradedQuery, laneOf, newStream, type Stream } from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { Verification } from '../../src/writer/verification.js';
import { Gate } from '../lane/scene.js';
import { ManualClock, settled } from '../manual-clock.js';

const LANES = 4;
const MINUTE_MS = 60_000;

const streamOf = (key: number): Stream =>
  newStream({ appId: 'shop', channel: `c-${key}`, kind: 'messages' }, String(key), 'id', 0);

const APPLIED: LaneAnswer = { kind: 'committed', results: [{ pub_id: 'p', status: 'applied' }] };
const EXPIRED: LaneAnswer = { kind: 'committed', results: [{ pub_id: 'p', status: 'expired' }] };

/** Degraded streams in lanes with scripted answers. */
function scene(count: number, served: readonly number[] = [0, 1, 2, 3]) {
  const clock = new ManualClock();
  const asked: DegradedQuery[] = [];
  const marked: string[] = [];
  const failures: unknown[] = [];
  const told = {
    find: async ({ after, limit }: DegradedQuery): Promise<readonly Stream[]> =>
      Array.from({ length: count }, (_, index) => streamOf(index + 1))
        .slice(Number(after ?? 0))
        .slice(0, limit),
    answer: async (_channel: string): Promise<LaneAnswer> => APPLIED,
  };
  const submit = async ({ records }: LaneRequest): Promise<LaneAnswer> => {
    const [record] = records;
    if (record === undefined || records.length > 1 || !('channel' in record))
      throw new Error('a mark comes alone');
    marked.push(String(record.channel));
    return told.answer(String(record.channel));
  };
  const verification = new Verification(
    {
      clock,
      store: {
        degraded: (query) => {
          asked.push(query);
          return told.find(query);
        },
      },
      laneHere: (number) => (served.includes(number) ? { submit } : null),
      failed: (error) => failures.push(error),
    },
    { lanes: LANES, nodeId: 'n1' },
  );
  verification.begin();
  return { clock, asked, marked, failures, told, verification };
}

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `c-${from + index}`);

describe('rounds of verification', () => {
  it('come a minute apart, the first after one', async () => {
    const { clock, asked, marked } = scene(2);
    await clock.pass(MINUTE_MS - 1);
    expect(asked).toEqual([]);
    await clock.pass(1);
    expect(marked).toEqual(['c-1', 'c-2']);
    await clock.pass(3 * MINUTE_MS);
    expect(asked).toEqual(Array.from({ length: 4 }, () => ({ after: null, limit: 1000 })));
    expect(marked).toHaveLength(8);
  });

  it('leave out the lanes of others', async () => {
    const { clock, marked } = scene(40, [1, 3]);
    await clock.pass(MINUTE_MS);
    expect(marked).toEqual(names(1, 40).filter((channel) => laneOf('shop', channel, LANES) % 2 === 1));
    expect(marked.length).toBeGreaterThan(0);
  });

  it('verify one stream after the other, and never overlap', async () => {
    const { clock, asked, marked, told } = scene(2);
    const waiting: (() => void)[] = [];
    told.answer = () => new Promise((resolve) => waiting.push(() => resolve(APPLIED)));
    await clock.pass(5 * MINUTE_MS);
    expect([asked.length, marked]).toEqual([1, ['c-1']]);
    waiting.shift()?.();
    await settled();
    expect(marked).toEqual(['c-1', 'c-2']);
    waiting.shift()?.();
    await clock.pass(MINUTE_MS - 1);
    expect(asked).toHaveLength(1);
    await clock.pass(1);
    expect(asked).toHaveLength(2);
  });

  it('go through a thousand, and on behind them the next time', async () => {
    const { clock, marked } = scene(2500);
    const round = async (): Promise<string[]> => {
      await clock.pass(MINUTE_MS);
      return marked.splice(0);
    };
    expect(await round()).toEqual(names(1, 1000));
    expect(await round()).toEqual(names(1001, 2000));
    expect(await round()).toEqual(names(2001, 2500));
    expect(await round()).toEqual(names(1, 1000));
  });

  it('end with a stream that cannot be verified, and the next goes on behind it', async () => {
    const { clock, marked, failures, told } = scene(3);
    told.answer = async (channel) => (channel === 'c-2' ? EXPIRED : APPLIED);
    await clock.pass(MINUTE_MS);
    expect([marked.splice(0), failures.length]).toEqual([['c-1', 'c-2'], 1]);
    await clock.pass(MINUTE_MS);
    expect(marked.splice(0)).toEqual(['c-3']);
    await clock.pass(MINUTE_MS);
    expect([marked, failures.length]).toEqual([['c-1', 'c-2'], 2]);
  });

  it('pass over a lane that refuses or was given up meanwhile', async () => {
    const { clock, marked, failures, told } = scene(3);
    told.answer = async (channel) =>
      channel === 'c-1' ? { kind: 'refused', code: 'backpressure' } : { kind: 'no_responder' };
    await clock.pass(MINUTE_MS);
    expect([marked, failures]).toEqual([['c-1', 'c-2', 'c-3'], []]);
  });

  it('tell of a store that does not answer, and go on', async () => {
    const { clock, marked, failures, told } = scene(1);
    const { find } = told;
    told.find = async () => Promise.reject(new Error('away'));
    await clock.pass(2 * MINUTE_MS);
    expect([marked, failures]).toEqual([[], [new Error('away'), new Error('away')]]);
    told.find = find;
    await clock.pass(MINUTE_MS);
    expect(marked).toEqual(['c-1']);
  });

  it('stop, with the stream whose turn it is', async () => {
    const { clock, asked, marked, told, verification } = scene(3);
    const answered = new Gate();
    told.answer = async () => {
      await answered.opened;
      return APPLIED;
    };
    await clock.pass(MINUTE_MS);
    verification.stop();
    answered.open();
    await clock.pass(5 * MINUTE_MS);
    expect([asked.length, marked]).toEqual([1, ['c-1']]);
  });

  it('say nothing of a store that goes away after they were stopped', async () => {
    const { clock, asked, failures, told, verification } = scene(1);
    const closed = new Gate();
    told.find = async () => {
      await closed.opened;
      throw new Error('closed');
    };
    await clock.pass(MINUTE_MS);
    verification.stop();
    closed.open();
    await clock.pass(5 * MINUTE_MS);
    expect([asked.length, failures]).toEqual([1, []]);
  });

  it('do not come once they were stopped before', async () => {
    const { clock, asked, verification } = scene(1);
    verification.stop();
    await clock.pass(5 * MINUTE_MS);
    verification.begin();
    await clock.pass(5 * MINUTE_MS);
    expect(asked).toEqual([]);
  });
});
