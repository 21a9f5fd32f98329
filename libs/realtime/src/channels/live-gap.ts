import type { OrdinaryChannel } from '@carillon/channels';
import { recoveryFailure, type ResumeFailed } from '@carillon/protocol';

/** What tells whoever goes by serials that some behind this one are missing for good. Null: nobody does on this channel. */
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
