import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeFactV1, frameOfFactV2, jsonFormat, WireNames, type Fact } from '../src/index.js';

const text = fc.string({ unit: 'binary', maxLength: 20 });
const member = fc.record({ userId: text, userInfoText: fc.json() });
const serial = fc.nat();
const record = fc.dictionary(text, text).map((value) => JSON.stringify(value));

const message = fc.record({
  kind: fc.constant('message' as const),
  channel: text,
  event: fc.oneof(text, fc.constantFrom('pusher:a', 'service:message.update', 'service_internal:b')),
  name: fc.option(text),
  dataText: fc.option(fc.json()),
  userId: fc.option(text),
  messageId: text,
  tagsText: fc.option(record),
  extrasText: fc.option(record),
  streamId: fc.option(text),
  serial: fc.option(serial),
  action: fc.constantFrom(
    'append' as const,
    'create' as const,
    'delete' as const,
    'plain' as const,
    'update' as const,
  ),
  isFromClient: fc.boolean(),
  mayBeDelta: fc.boolean(),
});

const fact: fc.Arbitrary<Fact> = fc.oneof(
  message,
  fc.record({
    kind: fc.constantFrom('member_added' as const, 'member_updated' as const),
    channel: text,
    member,
    serial,
  }),
  fc.record({ kind: fc.constant('member_removed' as const), channel: text, userId: text, serial }),
  fc.record({
    kind: fc.constantFrom('channel_occupied' as const, 'channel_vacated' as const),
    channel: text,
    serial,
  }),
  fc.record({ kind: fc.constant('channel_counted' as const), channel: text, count: fc.nat(), serial }),
  fc.record({ kind: fc.constant('user_seen' as const), userId: text, isOnline: fc.boolean(), serial }),
  fc.record({
    kind: fc.constant('subscribed' as const),
    channel: text,
    members: fc.option(fc.array(member)),
  }),
  fc.record({
    kind: fc.constant('failed' as const),
    channel: fc.option(text),
    code: fc.nat(),
    message: text,
  }),
  fc.record({
    kind: fc.constant('acknowledged' as const),
    messageId: text,
    channel: fc.option(text),
    outcome: fc.oneof(
      fc.record({
        isAccepted: fc.constant(true as const),
        position: fc.option(fc.record({ streamId: text, serial })),
      }),
      fc.record({ isAccepted: fc.constant(false as const), code: fc.nat(), message: text }),
    ),
  }),
  fc.record({ kind: fc.constant('token_taken' as const), clientId: text, jti: text, expiresAt: fc.nat() }),
  fc.record({
    kind: fc.constant('delta_settled' as const),
    channel: fc.option(text),
    algorithm: fc.option(text),
  }),
  fc.record({
    kind: fc.constant('delta_bases' as const),
    channel: text,
    conflationPath: text,
    maxMessagesPerKey: fc.nat(),
    bases: fc.dictionary(text, text).map((bases) => new Map(Object.entries(bases))),
  }),
  fc.record({ kind: fc.constantFrom('token_expired' as const, 'ping' as const, 'pong' as const) }),
);

const OF_V1 = new Set(['event', 'channel', 'data', 'user_id']);
/** Whether each kind is sent on protocol 1. */
const IS_OF_V1: Record<Fact['kind'], boolean> = {
  acknowledged: false,
  annotated: false,
  annotations_summarized: false,
  cache_missed: true,
  channel_counted: true,
  channel_occupied: false,
  channel_vacated: false,
  delta_bases: false,
  delta_settled: false,
  established: true,
  failed: true,
  history_page: false,
  member_added: true,
  member_removed: true,
  member_updated: false,
  message: true,
  ping: true,
  pong: true,
  resume_failed: false,
  resumed: false,
  rewound: false,
  signed_in: true,
  subscribed: true,
  subscription_failed: true,
  token_expired: false,
  // Token holders, which protocol 1 does not have.
  token_revoked: true,
  token_taken: false,
  user_seen: true,
  watch_begun: true,
};

const failure = fc.record({
  channel: text,
  reason: fc.constantFrom('not_subscribed' as const, 'recovery_window_exceeded' as const),
  expectedStreamId: fc.option(text),
  currentStreamId: fc.option(text),
  oldestSerial: fc.option(serial),
  newestSerial: fc.option(serial),
});
const recovered = fc.record({
  channel: text,
  source: fc.constantFrom('hot' as const, 'cold' as const),
  replayed: fc.nat(),
  position: fc.record({ streamId: text, serial, lastMessageId: fc.option(text) }),
});
const names = fc.array(text, { maxLength: 3 });
/** Facts about annotations, rewinds and connections. */
const moreFacts: fc.Arbitrary<Fact> = fc.oneof(
  fc.record({ kind: fc.constant('annotated' as const), channel: text, annotationText: record }),
  fc.record({
    kind: fc.constant('annotations_summarized' as const),
    channel: text,
    messageSerial: text,
    summaryText: record,
  }),
  fc.record({ kind: fc.constant('resume_failed' as const), failure }),
  fc.record({
    kind: fc.constant('resumed' as const),
    recovered: fc.array(recovered, { maxLength: 2 }),
    failed: fc.array(failure, { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('rewound' as const),
    channel: text,
    report: fc.record({
      historicalCount: fc.nat(),
      liveCount: fc.nat(),
      complete: fc.boolean(),
      truncatedByRetention: fc.boolean(),
      truncatedByLimit: fc.boolean(),
    }),
  }),
  fc.record({ kind: fc.constant('history_page' as const), channel: text, pageText: record }),
  fc.record({ kind: fc.constant('token_revoked' as const) }),
  fc.record({ kind: fc.constant('cache_missed' as const), channel: text }),
  fc.record({ kind: fc.constant('watch_begun' as const), online: names, offline: names }),
  fc.record({ kind: fc.constant('signed_in' as const), userData: text }),
  fc.record({ kind: fc.constant('established' as const), socketId: text, activityTimeoutSeconds: fc.nat() }),
  fc.record({
    kind: fc.constant('subscription_failed' as const),
    channel: text,
    code: fc.nat(),
    message: text,
    status: fc.constantFrom(400 as const, 401 as const, 403 as const, 503 as const),
  }),
);

it('protocol 1 sees no member and no frame of protocol 2, whatever is told', () => {
  fc.assert(
    fc.property(fc.oneof(fact, moreFacts), (one) => {
      const frame = encodeFactV1(one);
      if (!IS_OF_V1[one.kind]) expect(frame).toBeNull();
      if (frame === null) return;
      const read = JSON.parse(frame) as { readonly event: string };
      expect(Object.keys(read).filter((name) => !OF_V1.has(name))).toEqual([]);
      expect(read.event).not.toMatch(/^service(?:_internal)?:/);
      const isChange = one.kind === 'message' && one.action !== 'plain' && one.action !== 'create';
      expect(isChange).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

const isSeenByV1 = new Set(['create', 'plain']);

it('encodeFactV1 depends on event, channel, data and member alone when messages carry members of protocol 2', () => {
  const channel = fc.oneof(
    text,
    text.map((name) => `presence-${name}`),
  );
  const event = fc.oneof(
    text,
    text.map((name) => `client-${name}`),
  );
  fc.assert(
    fc.property(message, message, channel, event, (one, other, channelName, eventName) => {
      const { dataText, userId } = one;
      const shown = { channel: channelName, event: eventName, dataText, userId };
      const [first, second] = [encodeFactV1({ ...one, ...shown }), encodeFactV1({ ...other, ...shown })];
      expect([first !== null, second !== null]).toEqual([
        isSeenByV1.has(one.action),
        isSeenByV1.has(other.action),
      ]);
      if (first !== null && second !== null) expect(second).toBe(first);
    }),
    { numRuns: 1000 },
  );
});

it.each([
  ['presence-lobby', 'client-typing', 'ada'],
  ['presence-cache-lobby', 'client-typing', 'ada'],
  ['presence-lobby', 'typing', undefined],
  ['private-lobby', 'client-typing', undefined],
])('encodeFactV1 tells the sender of %s %s as %s when it is a create or plain', (channel, event, userId) => {
  for (const action of ['create', 'plain'] as const) {
    const frame = encodeFactV1({
      kind: 'message',
      channel,
      event,
      name: null,
      dataText: '1',
      userId: 'ada',
      messageId: 'm',
      tagsText: null,
      extrasText: null,
      streamId: 's',
      serial: 1,
      action,
      isFromClient: true,
      mayBeDelta: true,
    });
    expect(JSON.parse(frame ?? '')).toEqual({ event, channel, data: 1, user_id: userId });
  }
});

it('protocol 2 spells reserved events its own way, and what is said to one alone carries an id', () => {
  const { encode } = jsonFormat(new WireNames('service'));
  fc.assert(
    fc.property(fact, (one) => {
      const frame = frameOfFactV2(one, () => 'fresh');
      if (frame === null) return;
      const read = JSON.parse(String(encode(frame))) as {
        readonly event: string;
        readonly message_id?: string;
      };
      expect(read.event).not.toMatch(/^pusher(?:_internal)?:/);
      const replies = [
        'acknowledged',
        'subscribed',
        'failed',
        'token_taken',
        'token_expired',
        'delta_settled',
        'delta_bases',
      ];
      const isReply = replies.includes(one.kind);
      expect(read.message_id).toBe(isReply ? 'fresh' : one.kind === 'message' ? one.messageId : undefined);
    }),
    { numRuns: 1000 },
  );
});
