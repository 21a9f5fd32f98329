import type {
  ReadPage,
  ReadPresenceEvent,
  ReadRetained,
  ReadStanding,
  ReadStoredRecord,
  ReadStream,
} from '@carillon/contracts';
import type {
  PageQuery,
  PresenceEvent,
  PresenceStanding,
  Retained,
  StoredRecord,
  Stream,
} from '@carillon/history-store';

/** Streams and records as they travel. */
export const streamOut = (stream: Stream): ReadStream => ({
  app_id: stream.address.appId,
  channel: stream.address.channel,
  kind: stream.address.kind,
  stream_key: stream.streamKey,
  stream_id: stream.streamId,
  generation: stream.generation,
  next_delivery_serial: stream.nextDeliverySerial,
  next_history_serial: stream.nextHistorySerial,
  next_annotation_no: stream.nextAnnotationNo,
  fanned_out_serial: stream.fannedOutSerial,
  last_cache_serial: stream.lastCacheSerial,
  floor_delivery_serial: stream.floorDeliverySerial,
  floor_history_serial: stream.floorHistorySerial,
  floor_message_serial: stream.floorMessageSerial,
  open_stream_count: stream.openStreams,
  retained_messages: stream.retainedMessages,
  retained_bytes: stream.retainedBytes,
  newest_published_at_ms: stream.newestPublishedAtMs,
  last_annotation_serial: stream.lastAnnotationSerial,
  last_keep_day: stream.lastKeepDay,
  max_messages: stream.maxMessages,
  max_bytes: stream.maxBytes,
  state: stream.durable.state,
  state_reason: stream.durable.reason,
  state_node: stream.durable.nodeId,
  state_changed_at_ms: stream.durable.changedAtMs,
  updated_at_ms: stream.updatedAtMs,
});

export const streamIn = (stream: ReadStream): Stream => ({
  address: { appId: stream.app_id, channel: stream.channel, kind: stream.kind },
  streamKey: stream.stream_key,
  streamId: stream.stream_id,
  generation: stream.generation,
  nextDeliverySerial: stream.next_delivery_serial,
  nextHistorySerial: stream.next_history_serial,
  nextAnnotationNo: stream.next_annotation_no,
  fannedOutSerial: stream.fanned_out_serial,
  lastCacheSerial: stream.last_cache_serial,
  floorDeliverySerial: stream.floor_delivery_serial,
  floorHistorySerial: stream.floor_history_serial,
  floorMessageSerial: stream.floor_message_serial ?? 1,
  openStreams: stream.open_stream_count ?? 0,
  retainedMessages: stream.retained_messages,
  retainedBytes: stream.retained_bytes,
  newestPublishedAtMs: stream.newest_published_at_ms,
  lastAnnotationSerial: stream.last_annotation_serial,
  lastKeepDay: stream.last_keep_day,
  maxMessages: stream.max_messages,
  maxBytes: stream.max_bytes,
  durable: {
    state: stream.state,
    reason: stream.state_reason,
    nodeId: stream.state_node,
    changedAtMs: stream.state_changed_at_ms,
  },
  updatedAtMs: stream.updated_at_ms,
});

export const recordOut = (record: StoredRecord): ReadStoredRecord => ({
  stream_key: record.streamKey,
  generation: record.generation,
  delivery_serial: record.deliverySerial,
  history_serial: record.historySerial,
  root_history_serial: record.rootHistorySerial,
  published_at_ms: record.publishedAtMs,
  history_until_ms: record.historyUntilMs,
  keep_until_ms: record.keepUntilMs,
  action: record.action,
  message_serial: record.messageSerial,
  version_serial: record.versionSerial,
  message_id: record.messageId,
  event_name: record.eventName,
  actor_client_id: record.actorClientId,
  payload: record.payload,
  payload_size: record.payloadSize,
  tombstone: record.tombstone,
});

export const recordIn = (record: ReadStoredRecord): StoredRecord => ({
  streamKey: record.stream_key,
  generation: record.generation,
  deliverySerial: record.delivery_serial,
  historySerial: record.history_serial,
  rootHistorySerial: record.root_history_serial,
  publishedAtMs: record.published_at_ms,
  historyUntilMs: record.history_until_ms,
  keepUntilMs: record.keep_until_ms,
  action: record.action,
  messageSerial: record.message_serial,
  versionSerial: record.version_serial,
  messageId: record.message_id,
  eventName: record.event_name,
  actorClientId: record.actor_client_id,
  payload: record.payload,
  payloadSize: record.payload_size,
  tombstone: record.tombstone,
});

export const eventOut = (event: PresenceEvent): ReadPresenceEvent => ({
  stream_key: event.streamKey,
  generation: event.generation,
  serial: event.serial,
  at_ms: event.atMs,
  event: event.event,
  cause: event.cause,
  user_id: event.userId,
  connection_id: event.connectionId,
  dead_node_id: event.deadNodeId,
  body: event.body,
  body_size: event.bodySize,
  keep_until_ms: event.keepUntilMs,
});

export const eventIn = (event: ReadPresenceEvent): PresenceEvent => ({
  streamKey: event.stream_key,
  generation: event.generation,
  serial: event.serial,
  atMs: event.at_ms,
  event: event.event,
  cause: event.cause,
  userId: event.user_id,
  connectionId: event.connection_id,
  deadNodeId: event.dead_node_id,
  body: event.body,
  bodySize: event.body_size,
  keepUntilMs: event.keep_until_ms,
});

export const standingOut = ({ userId, event, serial, atMs }: PresenceStanding): ReadStanding => ({
  user_id: userId,
  event,
  serial,
  at_ms: atMs,
});

export const standingIn = ({
  user_id: userId,
  event,
  serial,
  at_ms: atMs,
}: ReadStanding): PresenceStanding => ({
  userId,
  event,
  serial,
  atMs,
});

export const pageIn = (page: ReadPage): PageQuery => ({
  stream: streamIn(page.stream),
  nowMs: page.now_ms,
  newestFirst: page.newest_first,
  fromSerial: page.from_serial,
  toSerial: page.to_serial,
  fromMs: page.from_ms,
  toMs: page.to_ms,
  limit: page.limit,
});

/** A page that begins behind a row of this serial; null: at its beginning. */
export const pageOut = (query: PageQuery, after: number | null, limit: number): ReadPage => ({
  stream: streamOut(query.stream),
  now_ms: query.nowMs,
  newest_first: query.newestFirst,
  from_serial: after === null || query.newestFirst ? query.fromSerial : after + 1,
  to_serial: after === null || !query.newestFirst ? query.toSerial : after - 1,
  from_ms: query.fromMs,
  to_ms: query.toMs,
  limit,
});

type End = Retained['oldest'];
type EndOut = ReadRetained['oldest'];

const endOut = (end: End): EndOut =>
  end === null ? null : { serial: end.serial, published_at_ms: end.publishedAtMs };
const endIn = (end: EndOut): End =>
  end === null ? null : { serial: end.serial, publishedAtMs: end.published_at_ms };

export const retainedOut = ({ oldest, newest, messages, bytes }: Retained): ReadRetained => ({
  oldest: endOut(oldest),
  newest: endOut(newest),
  messages,
  bytes,
});

export const retainedIn = ({ oldest, newest, messages, bytes }: ReadRetained): Retained => ({
  oldest: endIn(oldest),
  newest: endIn(newest),
  messages,
  bytes,
});
