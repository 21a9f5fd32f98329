import { TRANSACTION_LIMITS } from '@carillon/history-store';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/index.js';
import { CommitQueue } from '../../src/lane/commit-queue.js';
import { Entry, type EntryLane } from '../../src/lane/entry.js';
import { arrivalOf, publishOf, resetOf } from '../samples.js';

const laneOf = (): EntryLane & { isBehind: boolean } => ({
  handedOver: { serialOf: () => 0 },
  queued: 0,
  isBehind: false,
  settled: () => undefined,
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      channel: fc.nat({ max: 3 }),
      chain: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
      lane: fc.nat({ max: 1 }),
      isAlone: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
      livesMs: fc.integer({ min: 10, max: 400 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('take' as const), isAlone: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('bring' as const),
      which: fc.nat(),
      back: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
      pauseMs: fc.integer({ min: 1, max: 10 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('behind' as const), lane: fc.nat({ max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 30 }) }) },
);

const queueOf = (channels: number, rounds: number, data = 'x') => {
  const queue = new CommitQueue(TRANSACTION_LIMITS);
  const lane = laneOf();
  for (let round = 0; round < rounds; round += 1)
    for (let channel = 0; channel < channels; channel += 1)
      queue.push(new Entry(lane, arrivalOf(publishOf(`channel-${channel}`, data)), 0, 5000));
  return queue;
};
const streamsOf = (batch: readonly Entry[]) => new Set(batch.map(({ arrival }) => arrival.stream)).size;

describe('what waits for a transaction', () => {
  it('is committed in the order of its stream and chain, each in one transaction at a time, and none is lost', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new CommitQueue(TRANSACTION_LIMITS);
        const lanes = [laneOf(), laneOf()] as const;
        const chains: Chain[] = [{ broken: false }, { broken: false }, { broken: false }];
        const pushed: Entry[] = [];
        const ended: Entry[] = [];
        let out: Entry[][] = [];
        let nowMs = 0;
        const expire = (): void => void ended.push(...queue.takeExpired(nowMs));
        const bring = (taken: Entry[], back: readonly Entry[], pauseMs: number): void => {
          out = out.filter((one) => one !== taken);
          ended.push(...taken.filter((entry) => !back.includes(entry)));
          queue.bring(taken, back, nowMs + pauseMs);
        };
        const take = (isAlone: boolean): Entry[] => {
          const taken = isAlone ? queue.takeAlone(nowMs) : queue.take(nowMs);
          const outside = out.flat();
          for (const entry of taken) {
            const { stream, chain } = entry.arrival;
            const isOfLine = ({ arrival }: Entry): boolean =>
              arrival.stream === stream || (chain !== null && arrival.chain === chain);
            expect(outside.filter(isOfLine)).toEqual([]);
            // Earlier entries of its stream and chain are finished or precede it.
            const before = pushed.slice(0, pushed.indexOf(entry)).filter(isOfLine);
            const over = new Set([...ended, ...taken.slice(0, taken.indexOf(entry))]);
            expect(before.filter((one) => !over.has(one))).toEqual([]);
            expect(entry.lane.isBehind).toBe(false);
          }
          if (taken.length > 0) out.push(taken);
          return taken;
        };
        for (const one of steps) {
          if (one.kind === 'push') {
            const { channel, isAlone, livesMs } = one;
            const chain = one.chain === null ? null : (chains[one.chain] ?? null);
            const record = isAlone ? resetOf(`c${channel}`) : publishOf(`c${channel}`, 'x');
            const entry = new Entry(
              lanes[one.lane === 0 ? 0 : 1],
              arrivalOf(record, chain),
              nowMs,
              nowMs + livesMs,
            );
            pushed.push(entry);
            queue.push(entry);
          } else if (one.kind === 'take') {
            expire();
            take(one.isAlone);
          } else if (one.kind === 'bring') {
            const taken = out[one.which % Math.max(1, out.length)];
            // As lanes do: entries behind a returned one are returned too.
            const first = taken?.findIndex((_, index) => one.back[index % one.back.length]) ?? -1;
            if (taken !== undefined) bring(taken, first < 0 ? [] : taken.slice(first), one.pauseMs);
          } else if (one.kind === 'behind') lanes[one.lane === 0 ? 0 : 1].isBehind = true;
          else {
            nowMs += one.ms;
            for (const lane of lanes) lane.isBehind = false;
          }
          const waiting = pushed.length - ended.length - out.flat().length;
          expect(lanes[0].queued + lanes[1].queued).toBe(waiting);
        }
        for (const lane of lanes) lane.isBehind = false;
        for (const taken of out) bring(taken, [], 0);
        nowMs += 50;
        expire();
        for (let left = pushed.length; left > 0; left -= 1) {
          for (const isAlone of [true, false]) {
            const taken = take(isAlone);
            if (taken.length > 0) bring(taken, [], 0);
          }
        }
        expect(new Set(ended).size).toBe(pushed.length);
        expect(ended).toHaveLength(pushed.length);
      }),
      { numRuns: 300 },
    );
  });

  it('is one batch as long as it fits into one', () => {
    const queue = queueOf(100, 5);
    expect(queue.isCrowded).toBe(false);
    expect(queue.take(0)).toHaveLength(500);
    expect(queue.isEmpty).toBe(true);
  });

  it('is shared between two transactions otherwise, each with all there is of its streams', () => {
    const queue = queueOf(100, 6);
    expect(queue.isCrowded).toBe(true);
    const first = queue.take(0);
    expect([first.length, streamsOf(first)]).toEqual([300, 50]);
    expect(queue.isCrowded).toBe(false);
    const second = queue.take(0);
    expect([second.length, streamsOf(second)]).toEqual([300, 50]);
    queue.bring(first, first, 0);
    expect(streamsOf(queue.take(0))).toBe(50);
  });

  it('is too much for one batch by its bytes as well', () => {
    const queue = queueOf(40, 2, 'x'.repeat(9_000));
    expect(queue.isCrowded).toBe(true);
    expect(queue.take(0)).toHaveLength(40);
    expect(queue.isCrowded).toBe(false);
  });

  it('of a few streams is not shared, however much it is', () => {
    expect(streamsOf(queueOf(16, 40).take(0))).toBe(16);
  });
});
