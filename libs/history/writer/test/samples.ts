import { createHash, randomUUID } from 'node:crypto';
import type { CommitRecord, CommitRecordOf } from '@carillon/contracts';
import { readArrival, type Arrival, type Chain } from '../src/index.js';

export const POLICY: CommitRecordOf<'publish'>['policy'] = {
  history_ms: 86_400_000,
  versions_ms: null,
  max_messages: null,
  max_bytes: null,
  versioned: false,
  cache: false,
  ai: null,
};

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The idempotency of a key on a channel. */
export const keyed = (channel: string, key: string, content: string, ttlMs = 120_000) => ({
  scope: hash(`shop\0${channel}\0${key}`),
  fingerprint: hash(content),
  ttl_ms: ttlMs,
});

export type Publish = CommitRecordOf<'publish'>;

export function publishOf(channel: string, data: string, more: Partial<Publish> = {}): Publish {
  const messageId = more.message_id ?? randomUUID();
  return {
    op: 'publish',
    pub_id: randomUUID(),
    app_id: 'shop',
    channel,
    message_id: messageId,
    message: JSON.stringify({ event: 'order.paid', channel, data, message_id: messageId }),
    policy: POLICY,
    ...more,
  };
}

export const resetOf = (channel: string): CommitRecordOf<'reset'> => ({
  op: 'reset',
  pub_id: randomUUID(),
  app_id: 'shop',
  channel,
  stream: 'messages',
  reason: 'a test',
});

export const purgeOf = (
  channel: string,
  below: Pick<CommitRecordOf<'purge'>, 'mode' | 'before_serial' | 'before_time_ms'>,
): CommitRecordOf<'purge'> => ({
  op: 'purge',
  pub_id: randomUUID(),
  app_id: 'shop',
  channel,
  reason: 'a test',
  ...below,
});

export type Transition = CommitRecordOf<'presence'>;

export const transitionOf = (
  channel: string,
  userId: string,
  event: Transition['event'],
  more: Partial<Transition> = {},
): Transition => ({
  op: 'presence',
  pub_id: randomUUID(),
  app_id: 'shop',
  channel,
  event,
  cause: event === 'member_removed' ? 'disconnect' : 'join',
  user_id: userId,
  policy: POLICY,
  ...more,
});

/** A record that must be a good one. */
export function arrivalOf(record: CommitRecord, chain: Chain | null = null): Arrival {
  const read = readArrival(record, chain);
  if (!read.ok) throw new Error(read.result.error ?? 'rejected');
  return read.arrival;
}
