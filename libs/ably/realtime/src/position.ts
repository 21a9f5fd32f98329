import { CompatError } from '@carillon/ably-core';
import { codeOf, type RecoveryReason } from '@carillon/protocol';

/** A position in the stream of a channel, as encoded in `channelSerial`. */
export interface Position {
  readonly streamId: string;
  readonly serial: number;
}

export const positionText = ({ streamId, serial }: Position): string => `${streamId}:${serial}`;

/** Returns null if the text is not a position. */
export function readPosition(text: string): Position | null {
  const colon = text.lastIndexOf(':');
  const serial = text.slice(colon + 1);
  return colon > 0 && /^\d{1,15}$/.test(serial)
    ? { streamId: text.slice(0, colon), serial: Number(serial) }
    : null;
}

/** Errors of a client that cannot resume from its position. */
export const foreign = (): CompatError => new CompatError(90_005, 'the position is not of this stream');
export const unreadable = (): CompatError => new CompatError(90_000, 'the history cannot be read', 500);

export const notRetained = (): CompatError =>
  new CompatError(90_003, 'the position is not retained any more');

export function continuityLost(reason: RecoveryReason): CompatError {
  if (reason === 'recovery_window_exceeded') return new CompatError(90_004, 'too many messages were missed');
  const code = codeOf(reason);
  if (code === 'stream_reset' || reason === 'position_ahead_of_durable_stream') return foreign();
  if (code === 'persistence_unavailable') return unreadable();
  return notRetained();
}
