import { ERRORS, type ErrorCode } from '@carillon/errors';
import { encodeV1, errorFrame, type FrameError, type OutboundFrame } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { ConnectionErrorType } from '../metrics.js';
import { SlowLane } from './slow-lane.js';

/** Ends that count as errors of the connection; the others are its ordinary life. */
const ERROR_TYPES: Partial<Record<ErrorCode, ConnectionErrorType>> = {
  over_capacity: 'over_capacity',
  closed_by_rate_limit: 'rate_limited',
};

/** How much may wait for one client. */
export interface OutletBounds {
  /** Frames; Infinity: no bound. */
  readonly maxFrames: number;
  /** Bytes; Infinity: no bound. */
  readonly maxBytes: number;
  /** Unsent bytes from which a client counts as slow. */
  readonly slowBytes: number;
  /** Whether going beyond closes the connection; else the new frame is dropped. */
  readonly disconnects: boolean;
  /** Whether frames are compressed. */
  readonly compress: boolean;
}

/** Told of what clients lost. */
export interface OutletObserver {
  /** A frame was not queued, because too much waits already. */
  dropped(connection: Connection): void;
}

/**
 * The way out to single connections. A client that reads gets its frames from the native library; one that does not
 * is slow: it leaves the native topics, and what is for it waits in a lane of its own, whose frames are shared texts
 * and are counted exactly. It goes back as soon as it has read everything.
 */
export class Outlet {
  constructor(
    readonly bounds: OutletBounds,
    private readonly observer: OutletObserver,
  ) {}

  send(connection: Connection, frame: OutboundFrame): void {
    this.sendText(connection, encodeV1(frame));
  }

  error(connection: Connection, error: FrameError): void {
    this.send(connection, errorFrame(error));
  }

  sendText(connection: Connection, text: string): void {
    if (connection.lane !== null) return this.queue(connection, text);
    const { socket, hub } = connection;
    if (!connection.isOpen) return;
    const outcome = socket?.send(text, false, this.bounds.compress) ?? 'closed';
    // What is dropped is told of by `dropped`, as is what is dropped of native topics.
    if (outcome === 'closed' || outcome === 'dropped') return;
    hub.meters.sent(1, Buffer.byteLength(text));
    if (outcome === 'buffered') this.slowDown(connection);
  }

  /** For a slow connection only: sends, queues, drops or closes, whatever its bounds say. */
  queue(connection: Connection, text: string): void {
    const { lane, socket } = connection;
    if (lane === null || socket === null || !connection.isOpen) return;
    if (!this.#fits(text, lane, socket.bufferedBytes)) return this.overflow(connection);
    lane.push(text);
    this.#flush(connection, lane);
  }

  /** Looks whether a connection on native topics has fallen behind. */
  slowDown(connection: Connection): void {
    const unsent = connection.socket?.bufferedBytes ?? 0;
    if (unsent < this.bounds.slowBytes || connection.lane !== null || !connection.isOpen) return;
    connection.lane = new SlowLane();
    for (const { channel } of connection.subscriptions) channel.becameSlow(connection);
  }

  /** The client has read some: sends more, and ends its being slow when nothing is left. */
  drained(connection: Connection): void {
    const { lane, socket } = connection;
    if (lane === null || socket === null) return;
    this.#flush(connection, lane);
    if (lane.size > 0 || socket.bufferedBytes > 0) return;
    connection.lane = null;
    for (const { channel } of connection.subscriptions) channel.becameFast(connection);
  }

  /**
   * The native library threw a frame away. It says so amid its work on all subscribers of a topic, where it would go
   * on with memory it has freed if one of them ended: the end is decided now and comes in the next turn of the loop.
   */
  dropped(connection: Connection): void {
    if (!this.bounds.disconnects) return this.observer.dropped(connection);
    if (!this.#decide(connection, 'over_capacity')) return;
    setImmediate(() => this.#end(connection, 'over_capacity'));
  }

  /** Too much waits already for one frame more. */
  overflow(connection: Connection): void {
    if (this.bounds.disconnects) this.close(connection, 'over_capacity');
    else this.observer.dropped(connection);
  }

  /**
   * Tells the client why, closes, and remembers the reason. Nothing happens to one that is ending already. A last event
   * goes out before the error frame, whatever else waits.
   */
  close(connection: Connection, reason: ErrorCode, lastEvent: OutboundFrame | null = null): void {
    if (this.#decide(connection, reason)) this.#end(connection, reason, lastEvent);
  }

  /** False: it is ending already, or this is no reason to end. */
  #decide(connection: Connection, reason: ErrorCode): boolean {
    if (!connection.isOpen || ERRORS[reason].closeCode === null) return false;
    connection.endedFor = reason;
    const type = ERROR_TYPES[reason];
    if (type !== undefined) connection.hub.meters.error(type);
    return true;
  }

  #end({ socket, hub }: Connection, reason: ErrorCode, lastEvent: OutboundFrame | null = null): void {
    const { closeCode: code, text } = ERRORS[reason];
    if (socket === null || code === null) return;
    const error = errorFrame({ code, message: text, channel: null });
    socket.cork(() => {
      for (const frame of lastEvent === null ? [error] : [lastEvent, error]) {
        const frameText = encodeV1(frame);
        const outcome = socket.send(frameText, false, this.bounds.compress);
        if (outcome === 'sent' || outcome === 'buffered') hub.meters.sent(1, Buffer.byteLength(frameText));
      }
      socket.end(code, text);
    });
    // A client so far behind that not even the close frame fits is dropped instead.
    if (socket.isOpen) socket.terminate();
  }

  /** Asked before anything is done with a frame, so that one that is refused has not gone out all the same. */
  #fits(text: string, lane: SlowLane, unsentBytes: number): boolean {
    const { maxFrames, maxBytes, slowBytes } = this.bounds;
    const isNext = lane.size === 0 && unsentBytes < slowBytes;
    return (
      (isNext || lane.size < maxFrames) && lane.bytes + unsentBytes + Buffer.byteLength(text) <= maxBytes
    );
  }

  #flush(connection: Connection, lane: SlowLane): void {
    const { socket, hub } = connection;
    if (socket === null) return;
    while (lane.size > 0 && socket.bufferedBytes < this.bounds.slowBytes) {
      const text = lane.shift();
      if (text === undefined) return;
      socket.send(text, false, this.bounds.compress);
      hub.meters.sent(1, Buffer.byteLength(text));
    }
  }
}
