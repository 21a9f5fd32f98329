import type { WireNames } from '@carillon/protocol';
import type { FrameInfo } from '../frames/frame-info.js';
import {
  COMMENT,
  EVENT_STREAM,
  NDJSON,
  type Output,
  type Piece,
  pieceOf,
  type StreamEnd,
} from '../transport/output.js';

const LINE_FEED: Piece = { text: '\n', bytes: 1 };

const closeFrame = (names: WireNames, { code, reason }: StreamEnd): string =>
  JSON.stringify({ event: names.toWire('service:close'), data: { code, reason } });

/** The frames of a session as server-sent events without positions. */
export class SessionEvents implements Output {
  readonly contentType = EVENT_STREAM;

  constructor(private readonly names: WireNames) {}

  first({ lines }: FrameInfo): Piece {
    return pieceOf(lines);
  }

  frame({ lines, bytes }: FrameInfo): Piece {
    return { text: lines, bytes };
  }

  heartbeat(): Piece {
    return COMMENT;
  }

  close(end: StreamEnd): Piece {
    return pieceOf(`event: close\ndata: ${closeFrame(this.names, end)}\n\n`);
  }
}

/** The frames of a session, one per line. */
export class SessionLines implements Output {
  readonly contentType = NDJSON;

  constructor(private readonly names: WireNames) {}

  first(info: FrameInfo): Piece {
    return this.frame(info);
  }

  frame({ json, bytes }: FrameInfo): Piece {
    return { text: `${json}\n`, bytes };
  }

  heartbeat(): Piece {
    return LINE_FEED;
  }

  close(end: StreamEnd): Piece {
    return pieceOf(`${closeFrame(this.names, end)}\n`);
  }
}
