import * as fc from 'fast-check';

/** Short enough for the tightest bound. */
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((text) => Buffer.byteLength(text) <= 64);
const app = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const node = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/);
const count = fc.nat();
const socket = fc.tuple(fc.nat(), fc.nat()).map(([left, right]) => `${left}.${right}`);
const uuid = fc.uuid();
const any = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 4 });
const byName = <T>(one: fc.Arbitrary<T>) => fc.dictionary(name, one, { maxKeys: 4, noNullPrototype: true });
const members = <T extends object>(all: { [K in keyof T]: fc.Arbitrary<T[K]> }, ...required: (keyof T)[]) =>
  fc.record(all, { requiredKeys: required, noNullPrototype: true });
const whole = <T extends object>(all: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(all, { noNullPrototype: true });

const change = whole({
  node_id: node,
  app_id: app,
  channel: name,
  seq: count,
  user_id: name,
  socket_id: socket,
});
const user = whole({ app_id: app, user_id: name, node_id: node, seq: count });
const apps = byName(whole({ connections: count })).map((all) =>
  Object.fromEntries(Object.values(all).map((one, at) => [`app-${at}`, one])),
);

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

/** A generator of valid bodies for every kind of message, by kind. */
export const SAMPLES: Readonly<Record<string, fc.Arbitrary<object>>> = {
  broadcast: members(
    {
      message_id: name,
      node_id: node,
      app_id: app,
      channel: name,
      message: fc.string(),
      except_socket_id: socket,
      timestamp_ms: fc.double({ min: 1, noNaN: true, noDefaultInfinity: true }),
      compression_metadata: members(
        { enabled: fc.boolean(), sequence: count, is_full_message: fc.boolean(), event_name: name },
        'enabled',
      ),
      idempotency_key: name,
      ephemeral: fc.boolean(),
      envelope: members({ name, user_id: name, tags: byName(name), serial: count, extras: any }),
      presence_replication: fc.boolean(),
      trace: name,
    },
    'message_id',
    'node_id',
    'app_id',
    'channel',
    'message',
  ),
  request: members(
    {
      request_id: name,
      node_id: node,
      app_id: app,
      request_type: fc.constantFrom('channels', 'sockets', 'terminate_user'),
      channel: name,
      channels: some(name),
      prefix: name,
      socket_id: socket,
      user_id: name,
      user_info: any,
      target_node_id: node,
      reply_to: name,
      timestamp: count,
    },
    'request_id',
    'node_id',
    'app_id',
    'request_type',
  ),
  response: members(
    {
      request_id: name,
      node_id: node,
      app_id: app,
      members: byName(any),
      channels_with_sockets_count: byName(count),
      socket_ids: some(socket),
      sockets_count: count,
      exists: fc.boolean(),
      channels: some(name),
      members_count: count,
      user_ids: some(name),
      more: fc.boolean(),
    },
    'request_id',
    'node_id',
    'app_id',
  ),
  heartbeat: members(
    {
      node_id: node,
      role: fc.constant('default'),
      routing: fc.constantFrom('interest', 'broadcast', 'dual'),
      seq: count,
      apps,
    },
    'node_id',
    'role',
    'routing',
    'seq',
  ),
  roll_call: whole({ node_id: node }),
  node_dead: whole({ node_id: node, dead_node_id: node }),
  node_leaving: whole({
    node_id: node,
    pending_leases: some(whole({ app_id: app, channel: name, user_id: name, expires_at_ms: count })),
  }),
  app_counts: whole({ node_id: node, apps }),
  presence_joined: change,
  presence_left: change,
  presence_updated: change,
  presence_state: whole({
    node_id: node,
    target_node_id: node,
    seq: count,
    channels: some(
      whole({
        app_id: app,
        channel: name,
        members: some(whole({ user_id: name, socket_id: socket, user_info: any })),
      }),
    ),
    first: fc.boolean(),
    last: fc.boolean(),
  }),
  channel_counts: whole({ node_id: node, app_id: app, counts: byName(count) }),
  channel_counts_full: whole({ node_id: node, app_id: app, counts: byName(count), first: fc.boolean() }),
  user_online: user,
  user_offline: user,
  app_changed: members({ app_id: app, node_id: node }, 'app_id'),
  token_revoked: members(
    { app_id: app, node_id: node, jti: name, client_id: name, expires_at_ms: count, request_id: name },
    'app_id',
    'node_id',
  ),
  commit: whole({
    lanes: fc.integer({ min: 1, max: 1024 }),
    lane: fc.integer({ min: 0, max: 1023 }),
    budget_ms: count,
    chain: fc.boolean(),
    node_id: node,
    records: fc.array(whole({ pub_id: uuid }), { minLength: 1, maxLength: 4 }),
  }),
  hello: whole({ node_id: node, lanes: fc.integer({ min: 1, max: 1024 }) }),
  committed: whole({
    results: fc.array(
      members(
        {
          pub_id: uuid,
          status: fc.constantFrom('applied', 'duplicate', 'rejected', 'skipped', 'expired'),
          stream_id: fc.option(uuid),
          delivery_serial: fc.option(count),
          published_at_ms: count,
          extra: any,
          code: name,
          http_status: fc.constantFrom(400, 409, 413, 503),
          ai_code: fc.option(fc.constant(40_009)),
          error: name,
        },
        'pub_id',
        'status',
      ),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  refused: whole({ code: fc.constantFrom('backpressure', 'lane_mismatch', 'unsupported_version') }),
  writer: whole({
    writer_id: fc.stringMatching(/^[\w.-]{1,64}$/),
    lanes: fc.integer({ min: 1, max: 1024 }),
    serving: some(fc.integer({ min: 0, max: 1023 })),
    state: fc.constantFrom('live', 'leaving'),
  }),
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
    retained: whole({ oldest: fc.constant(null), newest: fc.constant(null), messages: count, bytes: count }),
  }),
  read_refused: whole({ code: fc.constantFrom('unavailable', 'lane_mismatch', 'unsupported_version') }),
  record: members(
    {
      writer_id: fc.constant('w-1'),
      app_id: app,
      channel: fc.stringMatching(/^[a-z:]{1,20}$/),
      stream_id: fc.option(uuid),
      serial: fc.option(count),
      published_at_ms: count,
      op: fc.constantFrom('publish', 'append', 'annotate', 'reset'),
      message: fc.option(name),
      resent: fc.boolean(),
      old_stream_id: fc.option(uuid),
    },
    'writer_id',
    'app_id',
    'channel',
    'published_at_ms',
    'op',
  ),
  webhook: whole({
    batch_id: uuid,
    app_id: app,
    time_ms: count,
    events: fc.array(whole({ name, channel: name, body: fc.json().map((text) => `[${text}]`) }), {
      minLength: 1,
      maxLength: 4,
    }),
  }),
  webhook_delivery: members(
    {
      delivery_id: uuid,
      app_id: app,
      entry: uuid,
      attempt: fc.integer({ min: 1, max: 1000 }),
      first_attempt_ms: fc.option(count),
      due_ms: count,
      body: fc.json().map((text) => `[${text}]`),
    },
    'delivery_id',
    'app_id',
    'entry',
    'attempt',
    'due_ms',
    'body',
  ),
};

/** The members no message of a kind may lack. */
export const REQUIRED: Readonly<Record<string, string>> = {
  app_changed: 'app_id',
  app_counts: 'node_id apps',
  broadcast: 'message_id node_id app_id channel message',
  channel_counts: 'node_id app_id counts',
  channel_counts_full: 'node_id app_id counts first',
  commit: 'lanes lane budget_ms chain node_id records',
  committed: 'results',
  heartbeat: 'node_id role routing seq',
  hello: 'node_id lanes',
  roll_call: 'node_id',
  node_dead: 'node_id dead_node_id',
  node_leaving: 'node_id pending_leases',
  presence_joined: 'node_id app_id channel seq user_id socket_id',
  presence_left: 'node_id app_id channel seq user_id socket_id',
  presence_state: 'node_id target_node_id seq channels first last',
  presence_updated: 'node_id app_id channel seq user_id socket_id',
  read: 'lanes lane node_id',
  read_answer: '',
  read_refused: 'code',
  record: 'writer_id app_id channel published_at_ms op',
  refused: 'code',
  request: 'request_id node_id app_id request_type',
  response: 'request_id node_id app_id',
  token_revoked: 'app_id node_id',
  user_offline: 'app_id user_id node_id seq',
  user_online: 'app_id user_id node_id seq',
  webhook: 'batch_id app_id time_ms events',
  webhook_delivery: 'delivery_id app_id entry attempt due_ms body',
  writer: 'writer_id lanes serving state',
};
