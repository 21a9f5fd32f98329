import { createHash } from 'node:crypto';
import type { CommitRecordOf } from '@carillon/contracts';

const POLICY: CommitRecordOf<'publish'>['policy'] = {
  history_ms: 86_400_000,
  versions_ms: null,
  max_messages: null,
  max_bytes: null,
  versioned: false,
  cache: false,
  ai: null,
};

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface PublishParts {
  readonly app: string;
  readonly channel: string;
  readonly pubId: string;
  readonly messageId: string;
  /** Idempotency key; null: none. */
  readonly key: string | null;
}

export function publishRecord({
  app,
  channel,
  pubId,
  messageId,
  key,
}: PublishParts): CommitRecordOf<'publish'> {
  return {
    op: 'publish',
    pub_id: pubId,
    app_id: app,
    channel,
    message_id: messageId,
    message: JSON.stringify({ event: 'e', channel, data: messageId, message_id: messageId }),
    policy: POLICY,
    ...(key === null
      ? {}
      : { idem: { scope: hash(`${app}\0${channel}\0${key}`), fingerprint: hash(key), ttl_ms: 120_000 } }),
  };
}

export const resetRecord = (app: string, channel: string, pubId: string): CommitRecordOf<'reset'> => ({
  op: 'reset',
  pub_id: pubId,
  app_id: app,
  channel,
  stream: 'messages',
  reason: 'simulated',
});

export const purgeRecord = (app: string, channel: string, pubId: string): CommitRecordOf<'purge'> => ({
  op: 'purge',
  pub_id: pubId,
  app_id: app,
  channel,
  reason: 'simulated',
  mode: 'all',
});
