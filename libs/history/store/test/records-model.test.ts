import { randomUUID } from 'node:crypto';
import { MemoryRecords } from '@carillon/records';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Changes,
  type DurableStore,
  MemoryHistoryStore,
  type NewRecord,
  type PresenceEvent,
  type Stream,
  type StreamAddress,
} from '../src/index.js';
import { purgeAll } from './conformance-purge.js';
import { storeOver } from './record-backends.js';
import {
  addressOf,
  headOf,
  messageIn,
  NOTHING,
  NOW_MS,
  receiptOf,
  recordAt,
  streamIn,
  wantedOf,
} from './scene.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Rows that a purge trimmed do not reappear when a cap is lifted, so the caps of a channel stay. */
const CAPS = {
  a: { maxMessages: null, maxBytes: null },
  b: { maxMessages: 3, maxBytes: null },
  c: { maxMessages: null, maxBytes: 60 },
} as const;

const step = fc.record({
  kind: fc.constantFrom('messages', 'presence' as const),
  channel: fc.constantFrom('a', 'b', 'c' as const),
  writer: fc.nat(1),
  what: fc.constantFrom(
    'publish',
    'publish',
    'publish',
    'change',
    'reset',
    'floor',
    'wait',
    'wait',
    'mark' as const,
  ),
  count: fc.integer({ min: 1, max: 4 }),
  size: fc.nat(40),
  keepMs: fc.constantFrom(HOUR_MS, 3 * HOUR_MS, 30 * HOUR_MS),
});
type Step = Parameters<Parameters<typeof step.map>[0]>[0];

/** Decision of a step, from the stored stream alone, so that it is the same over every store. */
function changesOf(stream: Stream, one: Step, nowMs: number, ids: readonly string[]): Changes {
  if (one.what === 'reset') {
    const { streamKey, address, generation } = stream;
    const streamId = ids[0] ?? '';
    const fresh = {
      ...NOTHING_LEFT,
      streamKey,
      address,
      streamId,
      generation: generation + 1,
      updatedAtMs: nowMs,
    };
    return { ...NOTHING, streams: [{ ...stream, ...fresh }] };
  }
  if (one.what === 'floor') {
    const floor = { floorHistorySerial: stream.nextHistorySerial, retainedMessages: 0, retainedBytes: 0 };
    const floors = {
      floorDeliverySerial: stream.nextDeliverySerial,
      floorMessageSerial: stream.nextHistorySerial,
    };
    return { ...NOTHING, streams: [{ ...stream, ...floor, ...floors, openStreams: 0 }] };
  }
  return one.kind === 'messages' ? published(stream, one, nowMs, ids) : joined(stream, one, nowMs);
}

const NOTHING_LEFT = {
  nextDeliverySerial: 1,
  nextHistorySerial: 1,
  nextAnnotationNo: 1,
  fannedOutSerial: 0,
  floorDeliverySerial: 1,
  floorHistorySerial: 1,
  floorMessageSerial: 1,
  retainedMessages: 0,
  retainedBytes: 0,
  openStreams: 0,
  newestPublishedAtMs: null,
} as const;

function published(stream: Stream, one: Step, nowMs: number, ids: readonly string[]): Changes {
  let head = stream;
  const records: NewRecord[] = [];
  for (let index = 0; index < one.count; index += 1) {
    const isChange = one.what === 'change' && index > 0;
    const until = nowMs + one.keepMs;
    const record = recordAt(head, {
      publishedAtMs: nowMs,
      messageId: ids[index] ?? null,
      payloadSize: one.size,
      keepUntilMs: until,
      historyUntilMs: isChange ? null : until,
      historySerial: isChange ? null : head.nextHistorySerial,
      rootHistorySerial: one.what === 'change' ? head.nextHistorySerial - Number(isChange) : null,
      action: one.what === 'publish' ? 'plain' : isChange ? 'append' : 'create',
      messageSerial: one.what === 'change' ? (ids[9] ?? '') : null,
      versionSerial: one.what === 'change' ? `v${index}` : null,
      payload: '{"data":"x"}',
    });
    records.push(record);
    head = {
      ...head,
      nextDeliverySerial: head.nextDeliverySerial + 1,
      nextHistorySerial: head.nextHistorySerial + Number(!isChange),
      retainedMessages: head.retainedMessages + Number(!isChange),
      retainedBytes: head.retainedBytes + (isChange ? 0 : one.size),
      newestPublishedAtMs: nowMs,
      updatedAtMs: nowMs,
    };
  }
  const last = records.at(-1);
  const state =
    one.what === 'change' && last !== undefined
      ? messageIn(stream, {
          messageSerial: ids[9] ?? '',
          versionSerial: last.versionSerial ?? '',
          deliverySerial: last.deliverySerial,
          action: last.action === 'append' ? 'append' : 'create',
          data: { text: JSON.stringify(`a${'x'.repeat(records.length - 1)}`) },
          baseSerial: last.deliverySerial,
          baseVersionSerial: last.versionSerial ?? '',
          atMs: nowMs,
          appends: records.length - 1,
          dataBytes: records.length,
          keepUntilMs: nowMs + one.keepMs,
        })
      : null;
  const { maxMessages, maxBytes } = CAPS[one.channel];
  return {
    ...NOTHING,
    streams: [{ ...head, maxMessages, maxBytes, lastKeepDay: '2026-04-20' }],
    records,
    receipts: records.map((record, index) =>
      receiptOf(record, { scope: ids[index] ?? '', pubId: ids[index] ?? '' }),
    ),
    ...(state === null ? {} : { messages: { states: [state], annotations: [], summaries: [] } }),
  };
}

function joined(stream: Stream, one: Step, nowMs: number): Changes {
  const { streamKey, generation, nextHistorySerial: next } = stream;
  const events = Array.from({ length: one.count }, (_, index): PresenceEvent => ({
    streamKey,
    generation,
    serial: next + index,
    atMs: nowMs,
    event: index % 2 === 0 ? 'member_added' : 'member_removed',
    cause: index % 2 === 0 ? 'join' : 'disconnect',
    userId: `u${one.size % 3}`,
    connectionId: null,
    deadNodeId: null,
    body: 'null',
    bodySize: one.size,
    keepUntilMs: nowMs + one.keepMs,
  }));
  const last = events.at(-1);
  const member = { streamKey, generation, userId: `u${one.size % 3}`, lastNo: null };
  const { maxMessages, maxBytes } = CAPS[one.channel];
  const head = {
    nextHistorySerial: next + events.length,
    nextDeliverySerial: next + events.length,
    retainedMessages: stream.retainedMessages + events.length,
    retainedBytes: stream.retainedBytes + events.length * one.size,
    newestPublishedAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return {
    ...NOTHING,
    streams: [{ ...stream, ...head, maxMessages, maxBytes, lastKeepDay: '2026-04-20' }],
    presenceEvents: events,
    presenceMembers: [{ ...member, present: last?.event === 'member_added', lastSerial: last?.serial ?? 0 }],
  };
}

/** Removes the stream keys, which each store chooses. */
const own = <Row extends { readonly streamKey: string }>(rows: readonly Row[]) =>
  rows.map(({ streamKey: _chosen, ...row }) => row);

/** Returns everything readable of a stream, except members that each store chooses. */
async function shownOf(store: DurableStore, address: StreamAddress, nowMs: number): Promise<unknown> {
  const stream = await headOf(store, address);
  const pageOf = (newestFirst: boolean, limit: number) => ({
    stream,
    nowMs,
    newestFirst,
    fromSerial: null,
    toSerial: null,
    fromMs: null,
    toMs: null,
    limit,
  });
  const read = address.kind === 'messages' ? 'page' : 'presenceEvents';
  const oldest = await store[read](pageOf(false, 100));
  const newest = await store[read](pageOf(true, 3));
  const since = await store[read]({ ...pageOf(false, 100), fromMs: nowMs - HOUR_MS });
  const serials = [
    ...new Set(
      (oldest as readonly { messageSerial?: string | null }[]).flatMap((row) => row.messageSerial ?? []),
    ),
  ];
  const messages = await store.messages({ ...stream, nowMs, messageSerials: serials });
  const { nextDeliverySerial, nextHistorySerial, generation, fannedOutSerial } = stream;
  return {
    head: { nextDeliverySerial, nextHistorySerial, generation, fannedOutSerial },
    retained: await store.retained(stream, nowMs),
    oldest: own<{ readonly streamKey: string }>(oldest),
    newest: own<{ readonly streamKey: string }>(newest),
    since: own<{ readonly streamKey: string }>(since),
    messages: own(messages),
  };
}

it('equals a history in memory, whatever two writers commit and purges remove', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const records = new MemoryRecords();
      const writers = [storeOver(records), storeOver(records)];
      const model = new MemoryHistoryStore();
      const used = new Map<string, StreamAddress>();
      let nowMs = NOW_MS;
      for (const one of steps) {
        const address = addressOf(one.channel, one.kind);
        const [store] = one.writer === 0 ? writers : writers.toReversed();
        if (store === undefined) throw new Error('there is no writer');
        if (one.what === 'wait') {
          nowMs += one.keepMs / 2;
          await purgeAll(store, nowMs, one.count);
          continue;
        }
        nowMs += MINUTE_MS;
        used.set(`${one.kind} ${one.channel}`, address);
        const ids = Array.from({ length: 10 }, () => randomUUID());
        for (const target of [model, store]) {
          await target.commit(wantedOf([address], { nowMs }), (found) => ({
            changes: one.what === 'mark' ? NOTHING : changesOf(streamIn(found, address), one, nowMs, ids),
          }));
          if (one.what !== 'mark') continue;
          const { streamKey, generation, nextDeliverySerial } = await headOf(target, address);
          const mark = { streamKey, generation, serial: nextDeliverySerial - 1 };
          await target.raiseWatermarks([mark], { lanes: [], writerId: 'w', nowMs });
        }
        const [reader] = writers;
        if (reader === undefined) throw new Error('there is no reader');
        for (const each of used.values())
          expect(await shownOf(reader, each, nowMs)).toEqual(await shownOf(model, each, nowMs));
      }
    }),
    { numRuns: 150 },
  );
}, 180_000);
