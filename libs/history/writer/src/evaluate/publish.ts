import type { CommitRecordOf, FanOutRecordBody } from '@carillon/contracts';
import { expiry, keepDay, positioned, publicationTime, type Stream } from '@carillon/history-store';
import { type Verdict, verdict } from './answers.js';
import type { Arrival } from './arrival.js';
import type { Draft } from './draft.js';

/** Gives a publish the next place in its stream. */
export function publish(
  draft: Draft,
  record: CommitRecordOf<'publish'>,
  { eventName }: Arrival,
  stream: Stream,
): Verdict {
  const { policy } = record;
  const serial = stream.nextDeliverySerial;
  const historySerial = stream.nextHistorySerial;
  const publishedAtMs = publicationTime(stream, draft.context.nowMs);
  const historyUntilMs = expiry(publishedAtMs, policy.history_ms);
  const keepUntilMs = Math.max(historyUntilMs, draft.receiptUntilMs(record));
  const payloadSize = Buffer.byteLength(record.message);
  draft.addRecord({
    streamKey: stream.streamKey,
    generation: stream.generation,
    deliverySerial: serial,
    historySerial,
    rootHistorySerial: null,
    publishedAtMs,
    historyUntilMs,
    keepUntilMs,
    action: 'plain',
    messageSerial: null,
    versionSerial: null,
    messageId: record.message_id,
    eventName,
    actorClientId: record.actor?.client_id ?? null,
    payload: record.message,
    payloadSize,
    tombstone: false,
  });
  draft.setStream({
    ...stream,
    nextDeliverySerial: serial + 1,
    nextHistorySerial: historySerial + 1,
    lastCacheSerial: policy.cache ? serial : stream.lastCacheSerial,
    retainedMessages: stream.retainedMessages + 1,
    retainedBytes: stream.retainedBytes + payloadSize,
    newestPublishedAtMs: publishedAtMs,
    lastKeepDay: later(stream.lastKeepDay, keepDay(keepUntilMs)),
    maxMessages: policy.max_messages,
    maxBytes: policy.max_bytes,
  });
  draft.addReceipt(record, stream, { deliverySerial: serial, historySerial, publishedAtMs });
  return verdict(
    {
      pub_id: record.pub_id,
      status: 'applied',
      stream_id: stream.streamId,
      delivery_serial: serial,
      history_serial: historySerial,
      message_serial: null,
      version_serial: null,
      published_at_ms: publishedAtMs,
    },
    {
      fanOut: published(draft, record, stream, { serial, historySerial, publishedAtMs }),
    },
  );
}

/** Position of a publish in its stream. */
interface Place {
  readonly serial: number;
  readonly historySerial: number | null;
  readonly publishedAtMs: number;
}

/** A publish as it goes to the gateways. */
export const published = (
  { context: { writerId } }: Draft,
  record: CommitRecordOf<'create' | 'publish'>,
  { streamId }: Stream,
  { serial, historySerial, publishedAtMs }: Place,
): FanOutRecordBody => ({
  writer_id: writerId,
  app_id: record.app_id,
  channel: record.channel,
  stream_id: streamId,
  serial,
  history_serial: historySerial,
  annotation_no: null,
  published_at_ms: publishedAtMs,
  op: 'publish',
  message_id: record.message_id,
  except_socket: record.except_socket ?? null,
  ...(record.from_client === undefined ? {} : { from_client: record.from_client }),
  ...(record.delta === undefined ? {} : { delta: record.delta }),
  message: positioned(record.message, streamId, serial),
});

/** The later of two days. */
export const later = (one: string | null, other: string): string =>
  one !== null && one > other ? one : other;
