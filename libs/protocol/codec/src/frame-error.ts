import { ERRORS, type ErrorCode } from '@carillon/errors';

/** Content of an error frame on an open socket. */
export interface FrameError {
  readonly row: ErrorCode;
  readonly code: number;
  /** Human text, never parsed by clients; never holds a secret. */
  readonly message: string;
  /** The channel that the refused frame named; null when it named none. */
  readonly channel: string | null;
}

/** Details beyond the row. */
export interface FrameErrorDetail {
  /** Absent: the row's own text. */
  readonly message?: string;
  /** Absent or null: the refused frame named none. */
  readonly channel?: string | null;
}

/** Code of failures without a frame code of their own. */
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
