import type { CommitRecordOf, CommitResult, FanOutRecordBody } from '@carillon/contracts';
import {
  expiry,
  keepDay,
  type NewRecord,
  publicationTime,
  type StoredMessage,
  type Stream,
} from '@carillon/history-store';
import {
  checkSize,
  created,
  frameOf,
  mutate,
  type Mutation,
  nextSerial,
  operationIdentity,
  payloadOf,
  type Refusal,
} from '@carillon/history-messages';
import { rejected, type Verdict, verdict } from './answers.js';
import type { Arrival } from './arrival.js';
import type { Draft } from './draft.js';
import { later } from './publish.js';

/** Assigns a publish the next serial of its stream, as a mutable message. */
export function create(
  draft: Draft,
  record: CommitRecordOf<'create'>,
  { eventName }: Arrival,
  stream: Stream,
): Verdict {
  const { policy } = record;
  const place = placeOf(draft, record, stream, null);
  const message = created(record, eventName ?? '', stream, place);
  const wrong = checkSize(message, record, stream.openStreams);
  if (wrong !== null) return refusedWith(record.pub_id, wrong.refusal);
  const historyUntilMs = expiry(place.atMs, policy.history_ms);
  const stored: NewRecord = {
    ...recordOf(message, record.message_id, record.message),
    historySerial: message.historySerial,
    historyUntilMs,
    keepUntilMs: Math.max(historyUntilMs, place.keepUntilMs, draft.receiptUntilMs(record)),
  };
  draft.messages.setState(message);
  const next = advanced(draft, stream, stored, message, false);
  draft.setStream({
    ...next,
    nextHistorySerial: message.historySerial + 1,
    lastCacheSerial: policy.cache ? message.deliverySerial : stream.lastCacheSerial,
    retainedMessages: stream.retainedMessages + 1,
    retainedBytes: stream.retainedBytes + stored.payloadSize,
    maxMessages: policy.max_messages,
    maxBytes: policy.max_bytes,
  });
  return applied(draft, record, stream, message, stored);
}

/** Changes a message. A retry gets the first result. */
export function change(draft: Draft, record: Mutation, stream: Stream): Verdict {
  const message = draft.messages.state(stream, record.message_serial, draft.context.nowMs);
  if (message === undefined) return verdict(rejected(record.pub_id, 'not_found', 'there is no such message'));
  const identity = operationIdentity(record);
  const before = identity === null ? undefined : draft.messages.operation(stream, identity.hash);
  if (before !== undefined && identity !== null) {
    if (before.fingerprint !== identity.fingerprint)
      return verdict(rejected(record.pub_id, 'conflict', 'the op_id was used for something else'));
    return verdict({
      ...resultOf(record.pub_id, stream, message),
      status: 'duplicate',
      delivery_serial: before.deliverySerial,
      version_serial: before.versionSerial,
      published_at_ms: before.atMs,
    });
  }
  if (record.only_version !== undefined && record.only_version !== message.versionSerial)
    return verdict(rejected(record.pub_id, 'conflict', 'the message has another version by now'));
  const place = placeOf(draft, record, stream, message.versionSerial);
  const outcome = mutate(message, record, place, stream.openStreams);
  if (!outcome.ok) return refusedWith(record.pub_id, outcome.refusal);
  const next = outcome.message;
  const payload = payloadOf(next, record.op === 'append' ? record.data : null);
  const stored: NewRecord = {
    ...recordOf(next, record.message_id, payload),
    keepUntilMs: Math.max(place.keepUntilMs, draft.receiptUntilMs(record)),
    ...(identity === null ? {} : { operation: identity }),
  };
  draft.messages.setState(next);
  if (identity !== null)
    draft.messages.addOperation({
      ...identity,
      streamKey: stream.streamKey,
      deliverySerial: place.deliverySerial,
      versionSerial: place.versionSerial,
      atMs: place.atMs,
    });
  draft.setStream(advanced(draft, stream, stored, next, message.isOpen));
  return applied(draft, record, stream, next, stored);
}

function placeOf(
  draft: Draft,
  { policy }: Mutation | CommitRecordOf<'create'>,
  stream: Stream,
  before: string | null,
) {
  const { nowMs, writerId, nextCount } = draft.context;
  const atMs = publicationTime(stream, nowMs);
  return {
    versionSerial: nextSerial(before, { nowMs, writerId, count: nextCount() }),
    deliverySerial: stream.nextDeliverySerial,
    atMs,
    keepUntilMs: expiry(atMs, policy.versions_ms),
  };
}

/** Record of a change: only a create has a history serial. */
const recordOf = (message: StoredMessage, messageId: string, payload: string): NewRecord => ({
  streamKey: message.streamKey,
  generation: message.generation,
  deliverySerial: message.deliverySerial,
  historySerial: null,
  rootHistorySerial: message.historySerial,
  publishedAtMs: message.atMs,
  historyUntilMs: null,
  keepUntilMs: message.keepUntilMs,
  action: message.action,
  messageSerial: message.messageSerial,
  versionSerial: message.versionSerial,
  messageId,
  eventName: message.name,
  actorClientId: message.clientId,
  payload,
  payloadSize: Buffer.byteLength(payload),
  tombstone: false,
});

/** The stream behind a version. */
function advanced(
  draft: Draft,
  stream: Stream,
  stored: NewRecord,
  message: StoredMessage,
  wasOpen: boolean,
): Stream {
  draft.addRecord(stored);
  return {
    ...stream,
    nextDeliverySerial: message.deliverySerial + 1,
    newestPublishedAtMs: message.atMs,
    lastKeepDay: later(stream.lastKeepDay, keepDay(stored.keepUntilMs)),
    openStreams: stream.openStreams + Number(message.isOpen) - Number(wasOpen),
  };
}

function applied(
  draft: Draft,
  record: Mutation | CommitRecordOf<'create'>,
  stream: Stream,
  message: StoredMessage,
  stored: NewRecord,
): Verdict {
  const { deliverySerial, historySerial, messageSerial, versionSerial, atMs } = message;
  draft.addReceipt(record, stream, {
    deliverySerial,
    historySerial,
    messageSerial,
    versionSerial,
    publishedAtMs: atMs,
  });
  const fanOut: FanOutRecordBody = {
    writer_id: draft.context.writerId,
    app_id: record.app_id,
    channel: record.channel,
    stream_id: stream.streamId,
    serial: deliverySerial,
    history_serial: stored.historySerial,
    annotation_no: null,
    published_at_ms: atMs,
    op: record.op,
    message_id: record.message_id,
    except_socket: record.except_socket ?? null,
    message: frameOf(stored, stream),
    ...(record.op === 'create' ? deliveredAs(record) : changedBy(record)),
  };
  return verdict(resultOf(record.pub_id, stream, message), { fanOut });
}

const deliveredAs = ({ from_client, delta }: CommitRecordOf<'create'>) => ({
  ...(from_client === undefined ? {} : { from_client }),
  ...(delta === undefined ? {} : { delta }),
});

/** A change that leaves a connection out is one of a client. */
const changedBy = ({ except_socket }: Pick<CommitRecordOf<'update'>, 'except_socket'>) =>
  except_socket === undefined ? {} : { from_client: true };

const resultOf = (pubId: string, { streamId }: Stream, message: StoredMessage): CommitResult => ({
  pub_id: pubId,
  status: 'applied',
  stream_id: streamId,
  delivery_serial: message.deliverySerial,
  history_serial: message.historySerial,
  message_serial: message.messageSerial,
  version_serial: message.versionSerial,
  published_at_ms: message.atMs,
});

const refusedWith = (pubId: string, { code, text, aiCode }: Refusal): Verdict =>
  verdict(rejected(pubId, code, text, aiCode));
