import * as fc from 'fast-check';
import { app, count, members, name, node, some, uuid, whole } from './generators.js';

const streamAddress = whole({
  app_id: app,
  channel: fc.stringMatching(/^[a-z:]{1,20}$/),
  kind: fc.constantFrom('messages', 'presence'),
});
const stream = whole({
  app_id: app,
  channel: fc.stringMatching(/^[a-z:]{1,20}$/),
  kind: fc.constantFrom('messages', 'presence'),
  stream_key: fc.constant('7'),
  stream_id: uuid,
  generation: count,
  next_delivery_serial: count,
  next_history_serial: count,
  next_annotation_no: count,
  fanned_out_serial: count,
  last_cache_serial: count,
  floor_delivery_serial: count,
  floor_history_serial: count,
  retained_messages: count,
  retained_bytes: count,
  newest_published_at_ms: fc.option(count),
  last_annotation_serial: fc.constant(null),
  last_keep_day: fc.option(fc.constant('2026-01-31')),
  max_messages: fc.option(count),
  max_bytes: fc.option(count),
  state: fc.constantFrom('healthy', 'degraded', 'reset_required'),
  state_reason: fc.option(name),
  state_node: fc.option(node),
  state_changed_at_ms: fc.option(count),
  updated_at_ms: count,
});
const storedRecord = whole({
  stream_key: fc.constant('7'),
  generation: count,
  delivery_serial: count,
  history_serial: fc.option(count),
  root_history_serial: fc.constant(null),
  published_at_ms: count,
  history_until_ms: fc.option(count),
  keep_until_ms: count,
  action: fc.constantFrom('plain', 'append'),
  message_serial: fc.constant(null),
  version_serial: fc.constant(null),
  message_id: fc.constant('m-1'),
  event_name: fc.option(name),
  actor_client_id: fc.option(name),
  payload: fc.option(fc.string()),
  payload_size: count,
  tombstone: fc.boolean(),
});

const standing = whole({
  user_id: name,
  event: fc.constantFrom('member_added', 'member_updated'),
  serial: count,
  at_ms: count,
});

/** Valid bodies of read answers. */
export const READ_SAMPLES = {
  read: members(
    {
      lanes: fc.integer({ min: 1, max: 1024 }),
      lane: fc.integer({ min: 0, max: 1023 }),
      node_id: node,
      heads: whole({
        channels: fc.array(streamAddress, { minLength: 1, maxLength: 4 }),
        create: fc.boolean(),
      }),
      range: whole({
        stream_key: fc.constant('12'),
        generation: count,
        from_serial: count,
        to_serial: count,
        limit: fc.integer({ min: 1, max: 1000 }),
      }),
      checkpoint: whole({
        stream_key: fc.constant('12'),
        generation: count,
        from_serial: count,
        to_serial: count,
        skip: count,
      }),
      retained: whole({ stream, now_ms: count }),
    },
    'lanes',
    'lane',
    'node_id',
  ),
  read_answer: members({
    streams: some(stream),
    records: some(storedRecord),
    more: fc.boolean(),
    checkpoint: fc.option(whole({ serial: count, members: some(standing) })),
    retained: whole({ oldest: fc.constant(null), newest: fc.constant(null), messages: count, bytes: count }),
  }),
  read_refused: whole({ code: fc.constantFrom('unavailable', 'lane_mismatch', 'unsupported_version') }),
} as const;
