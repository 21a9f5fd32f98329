import { CompatError, decodeWire, isObject, type JsonObject } from '@carillon/ably-core';
import { MAX_FRAME_BYTES } from './connected.js';
import type { CompatConnection } from './connection.js';
import { FRAME_NAMES } from './flags.js';
import type { Life } from './life.js';

/** Handles the frames of one action. `bytes` is the size of the frame. */
export type FrameHandler = (connection: CompatConnection, frame: JsonObject, bytes: number) => void;

/** Decodes the frames of clients and passes them to the handler of their action. */
export class InboundFrames {
  constructor(
    private readonly life: Life,
    private readonly handlers: ReadonlyMap<unknown, FrameHandler>,
  ) {}

  /** Never throws. An unreadable frame ends the connection; an action without a handler is ignored. */
  take(connection: CompatConnection, bytes: Uint8Array, isBinary: boolean): void {
    try {
      this.handle(connection, read(bytes, isBinary, connection), bytes.byteLength);
    } catch (error) {
      if (!(error instanceof CompatError)) throw error;
      this.life.refuse(connection, error);
    }
  }

  /** Passes on a decoded frame; `bytes` is its size. */
  handle(connection: CompatConnection, frame: JsonObject, bytes: number): void {
    const { tap } = connection.hub;
    const name = tap === null ? undefined : FRAME_NAMES.get(frame['action'] as number);
    if (tap !== null && name !== undefined) tap.frame(connection, 'in', name, bytes);
    this.handlers.get(frame['action'])?.(connection, frame, bytes);
  }
}

function read(bytes: Uint8Array, isBinary: boolean, { manner: { format } }: CompatConnection): JsonObject {
  if (bytes.byteLength > MAX_FRAME_BYTES) throw new CompatError(40_009, 'the frame is too large', 413);
  if (isBinary !== (format === 'msgpack')) throw new CompatError(40_000, 'the frame is of another format');
  const frame = decodeWire(bytes, format);
  if (!isObject(frame) || typeof frame['action'] !== 'number')
    throw new CompatError(40_000, 'a frame must be an object with an action');
  return frame;
}
