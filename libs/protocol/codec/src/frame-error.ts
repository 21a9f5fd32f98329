import { ERRORS, type ErrorCode } from '@carillon/errors';

/** What an error frame on an open socket says. */
export interface FrameError {
  readonly row: ErrorCode;
  readonly code: number;
  /** Human text, never parsed by clients; never holds a secret. */
  readonly message: string;
  /** The channel that the refused frame named; null when it named none. */
  readonly channel: string | null;
}

/** What may be said beyond the row. */
export interface FrameErrorDetail {
  /** Absent: the row's own text. */
  readonly message?: string;
  /** Absent or null: the refused frame named none. */
  readonly channel?: string | null;
}

/** What a socket is told where something failed that has no code of its own there. */
const INTERNAL_FAILURE = 4000;

/** The error frame's content for a row of the table. */
export function frameError(row: ErrorCode, detail: FrameErrorDetail = {}): FrameError {
  const { frameCode, text } = ERRORS[row];
  return {
    row,
    code: frameCode ?? INTERNAL_FAILURE,
    message: detail.message ?? text,
    channel: detail.channel ?? null,
  };
}
