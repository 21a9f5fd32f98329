import type { PublishableChannel } from './channel.js';
import type { HistoryPolicy, RecoveryPolicy } from './policy.js';

/** How an event is kept for those who are not there. At most one of both is not null. */
export interface Kept {
  /** It becomes part of the channel's history. */
  readonly history: HistoryPolicy | null;
  /** It has no history, and a place among the channel's newest, for who goes on where it was. */
  readonly replay: RecoveryPolicy | null;
}

const NOT_KEPT: Kept = Object.freeze({ history: null, replay: null });

/** What is kept of an event of the channel. */
export function keptOf({ form, policy }: PublishableChannel, isEphemeral: boolean): Kept {
  if (isEphemeral || form !== 'ordinary') return NOT_KEPT;
  const { history, recovery } = policy;
  if (history.enabled) return { history, replay: null };
  return recovery.enabled ? { history: null, replay: recovery } : NOT_KEPT;
}
