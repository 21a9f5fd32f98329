import type { StoredDeadLetter } from '@carillon/push-store';
import { type Around, tellMeta } from '../watch/meta.js';
import { sha256 } from '../hash.js';
import type { Secrets } from '../secrets.js';
import { encodeItem, messageIdOf, type NewItem, queueOf } from './items.js';

/** Reason of a dead letter, and the item to enqueue on replay. */
export interface DeadWork {
  readonly appId: string;
  readonly publishId: string;
  readonly provider: string | null;
  readonly stage: string;
  readonly key: string;
  readonly reason: string;
  readonly occurredMs: number;
  /** Null: it would fail again. */
  readonly replay: {
    readonly queue: string;
    readonly data: string;
    readonly deliveryKey: string | null;
    readonly undo: 'deadLettered' | 'failed' | null;
    readonly jobId: string;
  } | null;
}

export function deadLetterOf(work: DeadWork, secrets: Secrets): StoredDeadLetter {
  const { appId, publishId, provider, stage, key, reason, occurredMs, replay } = work;
  const messageId = replay?.jobId ?? '';
  const deadLetterId = sha256(appId, publishId, stage, key, reason, occurredMs, messageId);
  return {
    appId,
    deadLetterId,
    publishId,
    provider,
    stage,
    itemKey: key,
    reason,
    occurredMs,
    item:
      replay === null
        ? null
        : secrets.seal(JSON.stringify(replay), ['push_dead_letters', appId, deadLetterId]),
    replayedMs: null,
    replayCount: 0,
  };
}

/** Returns the replay of an item: the same content under a new id. */
export const replayOf = (
  item: NewItem,
  queueCount: number,
  deliveryKey: string | null,
  undo: 'deadLettered' | 'failed' | null,
): NonNullable<DeadWork['replay']> => ({
  queue: queueOf(item, queueCount),
  data: encodeItem(item),
  deliveryKey,
  undo,
  jobId: messageIdOf(item),
});

/** Logs a dead letter. */
export const tellDead = (
  around: Around,
  { appId, publishId, provider, stage, reason }: StoredDeadLetter,
): void =>
  tellMeta(around, 'dead-letter', {
    appId,
    publishId,
    ...(provider === null ? {} : { provider }),
    detail: { stage, reason },
  });
