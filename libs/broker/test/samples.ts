import { randomUUID } from 'node:crypto';
import type { Message, StateFact } from '@carillon/protocol';
import * as fc from 'fast-check';
import type { Answer, Broker, BrokerListener, LiveEvent, Question } from '../src/index.js';

/** Kinds whose answers are merged: every node is asked. */
export const MERGED_KINDS = [
  'channels_with_sockets_count',
  'batch_channel_sockets_count',
  'sockets_count',
  'meta_watched',
  'terminate_user',
  'force_reconnect',
  'token_revoked',
  'channel_occupancy',
  'connection_taken',
] as const satisfies readonly (keyof Question)[];

export const KINDS = [...MERGED_KINDS, 'comet_request'] as const;

/** One of each kind. */
export const QUESTIONS: Question = {
  channels_with_sockets_count: { prefix: 'presence-' },
  batch_channel_sockets_count: { channels: ['a', 'presence-é'] },
  sockets_count: null,
  meta_watched: { channels: ['a', 'presence-é'] },
  terminate_user: { userId: 'u:1' },
  force_reconnect: { userId: 'u:1' },
  token_revoked: { jti: 't:1', clientId: 'u:é' },
  acting_socket: { socketId: '1.2', channel: 'presence-é' },
  connection_taken: { socketId: '1.2', keyHash: 'ab' },
  comet_request: { verb: 'recv', keyHash: 'ab', receiver: 'r', isOnce: true, body: null },
  channel_occupancy: { channel: 'presence-é' },
  stream_frames: { session: 's', secretHash: 'ab', frames: '{}' },
  stream_end: { session: 's', secretHash: 'ab', frames: null },
};

export const message = (more: Partial<Message> = {}): Message => ({
  kind: 'message',
  channel: 'orders',
  event: 'e',
  name: null,
  dataText: '"{}"',
  userId: null,
  messageId: 'm',
  tagsText: null,
  extrasText: null,
  streamId: null,
  serial: null,
  action: 'plain',
  isFromClient: false,
  mayBeDelta: true,
  ...more,
});

export function event(channel: string, more: Partial<LiveEvent> = {}): LiveEvent {
  return {
    eventId: randomUUID(),
    appId: 'shop',
    channel,
    fact: message({ channel }),
    exceptSocketId: null,
    publishedAtMs: 1_900_000_000_123.5,
    ...more,
  };
}

const perChannel: fc.Arbitrary<ReadonlyMap<string, number>> = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', '1', 'é'), fc.integer({ min: 1, max: 1000 })))
  .map((entries) => new Map(entries));
const some = fc.nat(1000);

/** Arbitrary answers of one process to each kind of request. */
export const anAnswer: fc.Arbitrary<Answer> = fc.record({
  channels_with_sockets_count: perChannel,
  batch_channel_sockets_count: perChannel,
  sockets_count: some,
  meta_watched: some,
  terminate_user: some,
  force_reconnect: some,
  token_revoked: some,
  // A socket lives in one process.
  acting_socket: fc.constantFrom(null, { protocol: 1, clientId: 'u:é', hasToken: true, rights: ['publish'] }),
  channel_occupancy: fc.record({
    connections: some,
    publishers: some,
    subscribers: some,
    presenceConnections: some,
    presenceSubscribers: some,
  }),
  // Of one place, since a connection is nowhere else.
  connection_taken: fc.array(fc.constant({ channel: 'é', userId: '1.2:u', userInfoText: '{"n": 1.0}' }), {
    maxLength: 3,
  }),
  // A connection lives in one process.
  comet_request: fc.constantFrom(null, { status: 200, body: '[]' }),
  stream_frames: fc.constantFrom(null, { status: 200, body: '{"accepted_seq":1}' }),
  stream_end: fc.constantFrom(null, { status: 204, body: '' }),
});

/** A process with sockets: records events and notices, and answers with configured values. */
export class Gateway implements BrokerListener {
  readonly received: LiveEvent[] = [];
  readonly asked: unknown[] = [];
  /** Notices received, in order. */
  readonly notices: string[] = [];
  answers: Answer = {
    channels_with_sockets_count: new Map(),
    batch_channel_sockets_count: new Map(),
    sockets_count: 0,
    meta_watched: 0,
    terminate_user: 0,
    force_reconnect: 0,
    token_revoked: 0,
    acting_socket: null,
    channel_occupancy: {
      connections: 0,
      publishers: 0,
      subscribers: 0,
      presenceConnections: 0,
      presenceSubscribers: 0,
    },
    connection_taken: [],
    comet_request: null,
    stream_frames: null,
    stream_end: null,
  };
  /** Called before each event and question; throws to be a listener with a bug. */
  before: () => void = () => {};

  constructor(readonly broker: Broker) {
    broker.listen(this);
  }

  deliver(event: LiveEvent): void {
    this.before();
    this.received.push(event);
  }

  outOfReach(sinceMs: number): void {
    this.notices.push(`out of reach since ${sinceMs}`);
  }

  inReachAgain(): void {
    this.notices.push('in reach again');
  }

  appChanged(appId: string): void {
    this.before();
    this.notices.push(`${appId} changed`);
  }

  answer<Kind extends keyof Question>(kind: Kind, appId: string, about: Question[Kind]): Answer[Kind] {
    this.before();
    this.asked.push({ kind, appId, about });
    return this.answers[kind];
  }
}

/** Messages with every optional member, the last on a channel with a long name. */
export function variedEvents(long: string): readonly LiveEvent[] {
  return [
    event('orders', { exceptSocketId: '12.34', publishedAtMs: 1_900_000_000_000.123 }),
    event('a:b.c*>#', {
      fact: message({
        channel: 'a:b.c*>#',
        dataText: JSON.stringify('\u{1F514} "\\ \u2028 ' + 'x'.repeat(60_000)),
        tagsText: '{"region": "eu"}',
        extrasText: '{"headers":{"n":1.0}}',
        streamId: 's',
        serial: 7,
      }),
    }),
    event(long, {
      eventId: 'given by the publisher: é',
      fact: message({
        channel: long,
        event: 'service:message.append',
        name: 'note',
        dataText: null,
        userId: 'u',
        action: 'append',
        isFromClient: true,
        mayBeDelta: false,
      }),
    }),
  ];
}

const channel = 'orders';
const member = { userId: 'u:1', userInfoText: '{"n": 1.0}', socketId: '12.34' };

/** One sample of every state fact. */
export const STATE_FACTS: readonly StateFact[] = [
  { kind: 'member_added', channel, member, serial: 1_900_000_000_000_123 },
  { kind: 'member_updated', channel, member, serial: 3 },
  { kind: 'member_removed', channel, ...member, serial: 4 },
  // Form of older versions.
  { kind: 'member_removed', channel, userId: 'u:1', socketId: '12.34', serial: 5 },
  { kind: 'channel_counted', channel, count: 0, serial: 0 },
  { kind: 'user_seen', userId: 'é', isOnline: true, serial: 1 },
  { kind: 'user_seen', userId: 'é', isOnline: false, serial: 2 },
];
