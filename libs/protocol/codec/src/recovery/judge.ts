import type { ResumePosition } from '../v2/resume-position.js';
import type { RecoveryFailure, RecoveryReason } from './failure.js';

/** Newest position of a channel's stream. */
export interface StreamHead {
  readonly streamId: string;
  /** The newest delivery serial; 0: none yet. */
  readonly serial: number;
  /** The oldest delivery serial that can still be read anywhere; null: not known, or nothing can be. */
  readonly oldestSerial: number | null;
}

/** Serials to replay from `from` to `to` (none if `from` is beyond `to`), or the failure. */
export type Verdict =
  | { readonly kind: 'replay'; readonly streamId: string; readonly from: number; readonly to: number }
  | { readonly kind: 'failed'; readonly failure: RecoveryFailure };

/** Judges a position before anything is read. `window` is how many messages a client may have missed. */
export function judgePosition(
  channel: string,
  position: ResumePosition,
  head: StreamHead,
  window: number,
): Verdict {
  const failed = (reason: RecoveryReason): Verdict => ({
    kind: 'failed',
    failure: recoveryFailure(channel, reason, position, head),
  });
  if (position.streamId !== null && position.streamId !== head.streamId) return failed('stream_id_mismatch');
  if (position.serial > head.serial) return failed('position_ahead_of_durable_stream');
  const missed = head.serial - position.serial;
  if (missed > window) return failed('recovery_window_exceeded');
  const isGone = head.oldestSerial !== null && position.serial + 1 < head.oldestSerial;
  if (missed > 0 && isGone) return failed('retained_history_floor_is_ahead_of_requested_serial');
  return { kind: 'replay', streamId: head.streamId, from: position.serial + 1, to: head.serial };
}

/** Returns a failure with the known state of the stream; head null: unknown. */
export function recoveryFailure(
  channel: string,
  reason: RecoveryReason,
  position: Pick<ResumePosition, 'streamId'>,
  head: StreamHead | null,
): RecoveryFailure {
  return {
    channel,
    reason,
    expectedStreamId: position.streamId,
    currentStreamId: head?.streamId ?? null,
    oldestSerial: head?.oldestSerial ?? null,
    newestSerial: head?.serial ?? null,
  };
}

/** A message with a position. */
export interface Positioned {
  readonly streamId: string;
  readonly serial: number;
}

/**
 * Merges messages from memory and elsewhere into exactly the requested serials of one stream. Null: a gap or a
 * foreign stream; never a part. Of duplicates the first counts.
 */
export function contiguous<T extends Positioned>(
  range: { readonly streamId: string; readonly from: number; readonly to: number },
  ...parts: readonly (readonly T[])[]
): readonly T[] | null {
  const bySerial = new Map<number, T>();
  for (const one of parts.flat()) {
    if (one.serial < range.from || one.serial > range.to) continue;
    if (one.streamId !== range.streamId) return null;
    if (!bySerial.has(one.serial)) bySerial.set(one.serial, one);
  }
  if (bySerial.size !== Math.max(0, range.to - range.from + 1)) return null;
  return [...bySerial.values()].sort((a, b) => a.serial - b.serial);
}
