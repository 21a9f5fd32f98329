import type { PublishableChannel } from './channel.js';
import type { HistoryPolicy, RecoveryPolicy } from './policy.js';

/** Storage of an event for absent subscribers. At most one of both is not null. */
export interface Kept {
  /** It becomes part of the channel's history. */
  readonly history: HistoryPolicy | null;
  /** Without history: the replay buffer for recovering subscribers. */
  readonly replay: RecoveryPolicy | null;
  /** Declared ephemeral by its publisher. */
  readonly isEphemeral: boolean;
}

const NOT_KEPT: Kept = Object.freeze({ history: null, replay: null, isEphemeral: false });
const EPHEMERAL: Kept = Object.freeze({ ...NOT_KEPT, isEphemeral: true });

/** Returns how an event of the channel is stored. */
export function keptOf({ form, policy }: PublishableChannel, isEphemeral: boolean): Kept {
  if (isEphemeral) return EPHEMERAL;
  const { history, recovery } = policy;
  if (form !== 'ordinary') return NOT_KEPT;
  if (history.enabled) return { ...NOT_KEPT, history };
  return recovery.enabled ? { ...NOT_KEPT, replay: recovery } : NOT_KEPT;
}
