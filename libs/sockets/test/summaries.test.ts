import type { OrdinaryChannel } from '@carillon/channels';
import type { Codec } from '@carillon/realtime';
import type { AnnotationSummary } from '@carillon/history-store';
import type { Fact } from '@carillon/protocol';
import { LoopShare } from '@carillon/runtime';
import { expect, it } from 'vitest';
import type { Connection } from '../src/connection/connection.js';
import { Summaries, type SummariesParts } from '../src/v2/summaries.js';

const CHANNEL = { name: 'chat' } as OrdinaryChannel;
const STREAM = { streamKey: '1', generation: 1, floorMessageSerial: 0, nextAnnotationNo: 2000 };

/** Stored summaries, oldest change first. */
const stored = (count: number): readonly AnnotationSummary[] =>
  Array.from({ length: count }, (_, at) => ({
    streamKey: '1',
    messageSerial: `m:${at}`,
    type: 'reactions:total.v1',
    summary: `{"total":${at}}`,
    since: [],
    lastNo: at + 1,
    changedAtMs: 0,
  }));

/** Sends summaries to one connection on a manual clock that advances one millisecond per unit of work. */
async function show(rows: readonly AnnotationSummary[]) {
  let nowMs = 0;
  let turns = 0;
  const pages: number[] = [];
  const told: { readonly fact: Fact; readonly turn: number }[] = [];
  const clock = {
    now: () => nowMs,
    after: (delayMs: number, run: () => void) =>
      void setImmediate(() => {
        turns += 1;
        nowMs += delayMs;
        run();
      }),
  };
  const reads = {
    heads: () => Promise.resolve({ get: () => STREAM }),
    summaries: ({ belowNo, limit }: { belowNo: number | null; limit: number }) => {
      const page = rows.filter(({ lastNo }) => lastNo < (belowNo ?? Infinity)).slice(-limit);
      pages.push(page.length);
      return Promise.resolve(page.reverse());
    },
  };
  const summaries = new Summaries({
    reads: reads as unknown as SummariesParts['reads'],
    outlet: {
      error: () => undefined,
      send: (_, fact) => {
        nowMs += 1;
        told.push({ fact, turn: turns });
      },
    },
    share: new LoopShare(undefined, clock),
    maxFrameBytes: 65_536,
    onTrouble: (_, error) => {
      throw error;
    },
  });
  const hub = { appId: 'shop', app: { limits: { maxEventPayloadBytes: Infinity } } };
  const connection = { isOpen: true, lane: null, hub } as unknown as Connection;
  await summaries.show(connection, CHANNEL, {} as Codec);
  return { told, pages };
}

const serialsOf = (told: readonly { readonly fact: Fact }[]): readonly unknown[] =>
  told.map(({ fact }) => ('messageSerial' in fact ? fact.messageSerial : null));

it('summaries are sent oldest change first when there are more than one page of them', async () => {
  const { told, pages } = await show(stored(120));
  expect(serialsOf(told)).toEqual(Array.from({ length: 120 }, (_, at) => `m:${at}`));
  expect(pages).toEqual([50, 50, 20]);
});

it('summaries of the 1,000 latest changes are sent when there are more', async () => {
  const { told, pages } = await show(stored(1010));
  expect(serialsOf(told)).toEqual(Array.from({ length: 1000 }, (_, at) => `m:${at + 10}`));
  expect(Math.max(...pages)).toBe(50);
});

it('summaries leave the event loop to others when a subscriber gets 1,000 of them', async () => {
  const { told } = await show(stored(1000));
  const perTurn = new Map<number, number>();
  for (const { turn } of told) perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
  // One burst: 4 ms, which refill at 40 % of the time that the pieces take.
  expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(7);
});
