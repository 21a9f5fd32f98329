import { annotationFrame } from '@carillon/history-annotations';
import type { FanOutRecordBody } from '@carillon/contracts';
import { type AnnotationEvent, newStream, streamName } from '@carillon/history-store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DurableDelivery, type DurableDeliveryParts } from '../../src/durable/durable-delivery.js';
import { metrics } from '../samples.js';
import { STREAM } from './records.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const TYPE = 'x:total.v1';
const summaryOf = (total: number): string => `{"total":${total}}`;

const eventOf = (annotationNo: number): AnnotationEvent => ({
  streamKey: '1',
  annotationNo,
  annotationSerial: `a${annotationNo}`,
  messageSerial: 'm1',
  type: TYPE,
  action: 'create',
  annotationId: `id-${annotationNo}`,
  targetNo: null,
  name: null,
  clientId: 'u1',
  count: null,
  data: null,
  encoding: null,
  atMs: 1_760_000_000_000,
  actorClientId: null,
  actorSocketId: null,
});

const summaryFrame = (summary: string): string =>
  `{"event":"service_internal:message","channel":"orders","data":{"action":"message.summary","serial":"m1",` +
  `"annotations":{"summary":{"${TYPE}":${summary}}}},"extras":{"ephemeral":true}}`;

const recordOf = (number: number): FanOutRecordBody => ({
  writer_id: 'w1',
  app_id: 'shop',
  channel: 'orders',
  annotation_no: number,
  published_at_ms: 1_760_000_000_000,
  op: 'annotate',
  summary: summaryFrame(summaryOf(number)),
  message: annotationFrame('orders', eventOf(number)),
});

/** A gateway with a subscriber, and a store with a number of annotations, some of them purged. */
function scene(stored: number, erased: readonly number[] = []) {
  const told: string[] = [];
  const address = { appId: 'shop', channel: 'orders', kind: 'messages' } as const;
  const head = { ...newStream(address, '1', STREAM, 0), nextAnnotationNo: 1 };
  const numbers = Array.from({ length: stored }, (_, index) => index + 1).filter(
    (no) => !erased.includes(no),
  );
  const parts = {
    hubs: {
      find: () => ({
        remembers: () => true,
        app: { id: 'shop', limits: { maxEventPayloadBytes: 10_000 } },
      }),
    },
    delivery: {
      deliver: ({ fact }: { fact: { kind: string; summaryText?: string; text?: string } }) => {
        told.push(`${fact.kind} ${fact.summaryText ?? fact.text ?? JSON.stringify(fact)}`);
        return 1;
      },
    },
    reads: {
      heads: async () => new Map([[streamName(address), head]]),
      range: async () => [],
      messages: async () => [],
      annotations: async ({ afterNo }: { afterNo: number }) =>
        numbers.filter((no) => no > afterNo).map(eventOf),
      summaries: async () => [
        {
          streamKey: '1',
          messageSerial: 'm1',
          type: TYPE,
          summary: summaryOf(stored),
          since: [],
          lastNo: stored,
          changedAtMs: 0,
        },
      ],
    },
    patterns: { covers: () => false },
    past: { keep: () => undefined },
    givenUp: () => undefined,
    nodeId: () => 'gw-1',
    metrics: metrics(),
    onTrouble: (what: string, error: unknown) => {
      throw new Error(what, { cause: error });
    },
  } as unknown as DurableDeliveryParts;
  const delivery = new DurableDelivery(parts);
  const take = async (...which: number[]) => {
    for (const number of which) delivery.take(recordOf(number));
    await vi.advanceTimersByTimeAsync(400);
  };
  return { take, told, head, delivery };
}

/** The numbers of the delivered annotations and summaries. */
const numbersIn = (told: readonly string[]): number[] =>
  told.flatMap((text) => {
    const [, number] = /"id":"id-(\d+)"/.exec(text.replaceAll('\\', '')) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
const totalsIn = (told: readonly string[]): number[] =>
  told.flatMap((text) => {
    const [, total] = /"total":(\d+)/.exec(text.replaceAll('\\', '')) ?? [];
    return total === undefined ? [] : [Number(total)];
  });

describe('annotations of a channel somebody here is subscribed to', () => {
  it('are told in their order, each once', async () => {
    const { take, told, delivery } = scene(3);
    await take(1);
    await take(3, 2);
    await take(2, 3);
    delivery.stop();
    expect(numbersIn(told)).toEqual([1, 2, 3]);
  });

  it('are read when they are missed, with what all of their type come to by now', async () => {
    const { take, told, delivery } = scene(4);
    await take(1);
    await take(4);
    delivery.stop();
    expect(numbersIn(told)).toEqual([1, 2, 3, 4]);
    expect(totalsIn(told)).toEqual([1, 4, 4, 4]);
  });

  it('are passed over when they were erased meanwhile', async () => {
    const { take, told, delivery } = scene(4, [2]);
    await take(1);
    await take(4);
    delivery.stop();
    expect(numbersIn(told)).toEqual([1, 3, 4]);
  });

  it('are read when only the head tells of them, as after the broker was out of reach', async () => {
    const { take, told, head, delivery } = scene(3);
    await take(1);
    head.nextAnnotationNo = 4;
    delivery.inReachAgain();
    await take();
    delivery.stop();
    expect(numbersIn(told)).toEqual([1, 2, 3]);
  });
});
