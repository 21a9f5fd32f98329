import type { OrdinaryChannel } from '@carillon/channels';
import { recoveryFailure, type ResumeFailed } from '@carillon/protocol';

/**
 * Returns the fact that reports that messages after this serial are permanently missing; null if the channel has no
 * positions.
 */
export function liveGap(
  { name, policy }: OrdinaryChannel,
  { streamId, serial }: { readonly streamId: string | null; readonly serial: number },
): ResumeFailed | null {
  if (!policy.recovery.enabled || streamId === null) return null;
  const head = { streamId, serial, oldestSerial: null };
  return {
    kind: 'resume_failed',
    failure: recoveryFailure(name, 'live_gap_unrecoverable', { streamId }, head),
  };
}
