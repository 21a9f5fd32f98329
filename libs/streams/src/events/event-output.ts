import type { WireNames } from '@carillon/protocol';
import type { FrameInfo } from '../frames/frame-info.js';
import { stopMark } from '../position/position-id.js';
import type { StreamPositions } from '../position/stream-positions.js';
import {
  COMMENT,
  EVENT_STREAM,
  type Output,
  type Piece,
  pieceOf,
  type StreamEnd,
} from '../transport/output.js';

/** Characters of a block beside its lines and its id. */
const ID_LINE_BYTES = 'id: \n'.length;

/** Whether a client that is closed with a code reconnects. */
const reconnects = (code: number): boolean => code >= 4100 && code < 4300;

/** The reconnect delays that an event stream sends. */
export interface EventRetry {
  /** For the first block. */
  first(): number;
  closed(code: number): number;
}

/** The blocks of an event stream, each with the positions up to which everything is sent. */
export class EventOutput implements Output {
  readonly contentType = EVENT_STREAM;
  #lastId = '';

  constructor(
    readonly positions: StreamPositions,
    private readonly retry: EventRetry,
    private readonly names: WireNames,
    /** Called with the outcome of every channel that resumes: `resumed`, or the code of the failure. */
    private readonly onResume: (outcome: string) => void,
  ) {}

  first(established: FrameInfo): Piece {
    this.#lastId = this.positions.id;
    return pieceOf(`retry: ${this.retry.first()}\nid: ${this.#lastId}\n${established.lines}`);
  }

  frame(info: FrameInfo): Piece {
    this.positions.take(info);
    if (info.resumed.size > 0) this.onResume('resumed');
    else if (info.failureCode !== null) this.onResume(info.failureCode);
    const { id } = this.positions;
    this.#lastId = id;
    const { shared } = info;
    if (shared.id !== id) {
      shared.id = id;
      shared.block = `id: ${id}\n${info.lines}`;
    }
    return { text: shared.block, bytes: info.bytes + id.length + ID_LINE_BYTES };
  }

  /** A block with the positions, if they have moved without a message. */
  heartbeat(): Piece {
    const { id } = this.positions;
    if (id === this.#lastId) return COMMENT;
    this.#lastId = id;
    const data = JSON.stringify({ event: this.names.toWire('service:position'), data: {} });
    return pieceOf(`id: ${id}\nevent: position\ndata: ${data}\n\n`);
  }

  close({ code, reason }: StreamEnd): Piece {
    const position = this.positions.id;
    const isFinal = !reconnects(code);
    const retryMs = this.retry.closed(code);
    const data = {
      event: this.names.toWire('service:close'),
      data: { code, reason, retry_ms: isFinal ? null : retryMs, last_event_id: position },
    };
    const id = isFinal ? stopMark(code) : position;
    return pieceOf(`retry: ${retryMs}\nid: ${id}\nevent: close\ndata: ${JSON.stringify(data)}\n\n`);
  }
}
