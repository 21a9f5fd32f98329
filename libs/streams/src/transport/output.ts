import type { FrameInfo } from '../frames/frame-info.js';

/** A piece of the body and its size. */
export interface Piece {
  readonly text: string;
  readonly bytes: number;
}

/** The reason a stream ends. */
export interface StreamEnd {
  readonly code: number;
  readonly reason: string;
}

/** Writes frames in the form of one kind of stream. */
export interface Output {
  readonly contentType: string;
  /** The first piece of the body, with the frame that confirms the connection. */
  first(established: FrameInfo): Piece;
  frame(info: FrameInfo): Piece;
  /** The heartbeat of an idle connection. */
  heartbeat(): Piece;
  /** The last piece of the body. */
  close(end: StreamEnd): Piece;
}

export const EVENT_STREAM = 'text/event-stream';
export const NDJSON = 'application/x-ndjson';

/** A comment, which readers of server-sent events skip. */
export const COMMENT: Piece = { text: ':\n\n', bytes: 3 };

export const pieceOf = (text: string): Piece => ({ text, bytes: Buffer.byteLength(text) });
