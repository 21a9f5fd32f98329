import type { ErrorCode } from '@carillon/errors';
import { frameError, type FrameError } from '../frame-error.js';

/** A frame that cannot be read, or one that is refused for its form alone. */
export interface MalformedFrameV2 {
  readonly kind: 'malformed';
  /** Intended request; null: unknown. A subscribe is also answered with `subscription_error`. */
  readonly request: string | null;
  readonly error: FrameError;
}

/** An error about a frame, 4000 where no other row is named. */
export function malformedV2(
  request: string | null,
  message: string,
  channel: string | null | undefined,
  row: ErrorCode = 'malformed_frame',
): MalformedFrameV2 {
  return { kind: 'malformed', request, error: frameError(row, { message, channel: channel ?? null }) };
}
