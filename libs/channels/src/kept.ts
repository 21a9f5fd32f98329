import type { PublishableChannel } from './channel.js';
import type { HistoryPolicy, RecoveryPolicy } from './policy.js';

/** How an event is kept for those who are not there. At most one of both is not null. */
export interface Kept {
  /** It becomes part of the channel's history. */
  readonly history: HistoryPolicy | null;
  /** It has no history, and a place among the channel's newest, for who goes on where it was. */
  readonly replay: RecoveryPolicy | null;
  /** It is worthless a moment later, as its publisher says. */
  readonly isEphemeral: boolean;
}

const NOT_KEPT: Kept = Object.freeze({ history: null, replay: null, isEphemeral: false });
const EPHEMERAL: Kept = Object.freeze({ ...NOT_KEPT, isEphemeral: true });

/** What is kept of an event of the channel. */
export function keptOf({ form, policy }: PublishableChannel, isEphemeral: boolean): Kept {
  if (isEphemeral) return EPHEMERAL;
  const { history, recovery } = policy;
  if (form !== 'ordinary') return NOT_KEPT;
  if (history.enabled) return { ...NOT_KEPT, history };
  return recovery.enabled ? { ...NOT_KEPT, replay: recovery } : NOT_KEPT;
}
