import { ERRORS, type ErrorCode } from '@carillon/errors';
import type { Fact, FrameError } from '@carillon/protocol';
import { type Codec, type Frame, frameBytes, Frames } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { ConnectionErrorType } from '../metrics.js';
import { SlowLane } from './slow-lane.js';

/** Close reasons that count as connection errors; the others are normal. */
const ERROR_TYPES: Partial<Record<ErrorCode, ConnectionErrorType>> = {
  over_capacity: 'over_capacity',
  closed_by_rate_limit: 'rate_limited',
};

/** Bounds of the outbound queue of one client. */
export interface OutletBounds {
  /** Infinity: unlimited. */
  readonly maxFrames: number;
  /** Infinity: unlimited. */
  readonly maxBytes: number;
  /** Unsent bytes from which a client counts as slow. */
  readonly slowBytes: number;
  /**
   * Whether exceeding the bounds closes the subscriber; otherwise the new frame is dropped, unless that would cause
   * an unnoticed gap.
   */
  readonly disconnects: boolean;
  /** Whether frames are compressed. */
  readonly compress: boolean;
}

/** Notified of losses of clients. */
export interface OutletObserver {
  /** A frame was dropped because the queue is full. */
  dropped(subscriber: Subscriber): void;
}

/**
 * Sends frames to single connections. A client that keeps up is served by the native library. A client that does not
 * read is slow: it leaves the native topics, and its frames wait in a lane of its own, which shares frames and counts
 * them exactly. It returns to the topics once it has read everything.
 */
export class Outlet {
  constructor(
    readonly bounds: OutletBounds,
    private readonly observer: OutletObserver,
  ) {}

  /** Sends one subscriber a fact, if its codec has a frame for it. */
  send(subscriber: Subscriber, fact: Fact, codec: Codec = subscriber.codec): void {
    this.sendOf(subscriber, new Frames(fact), codec);
  }

  /** Like `send`, for a fact that is delivered to other subscribers too. */
  sendOf(subscriber: Subscriber, frames: Frames, codec: Codec = subscriber.codec): void {
    const frame = frames.of(codec);
    if (frame === null) return;
    const { tap } = subscriber.hub;
    if (tap !== null) tap.sent(subscriber, frames.fact, frame);
    this.sendFrame(subscriber, frame);
  }

  error(subscriber: Subscriber, { channel, code, message }: FrameError): void {
    this.send(subscriber, { kind: 'failed', channel, code, message });
  }

  sendFrame(subscriber: Subscriber, frame: Frame): void {
    if (subscriber.lane !== null) return this.queue(subscriber, frame);
    const { socket, hub } = subscriber;
    if (!subscriber.isOpen) return;
    const outcome = socket?.send(frame, typeof frame !== 'string', this.bounds.compress) ?? 'closed';
    // Drops are reported by `dropped`, like those of native topics.
    if (outcome === 'closed' || outcome === 'dropped') return;
    hub.meters.sent(1, frameBytes(frame));
    subscriber.sent += 1;
    if (outcome === 'buffered') this.slowDown(subscriber);
  }

  /** For slow subscribers only: sends, queues, drops or closes, according to its bounds. */
  queue(subscriber: Subscriber, frame: Frame): void {
    const { lane, socket } = subscriber;
    if (lane === null || socket === null || !subscriber.isOpen) return;
    if (!this.#fits(frame, lane, socket.bufferedBytes)) return this.overflow(subscriber);
    lane.push(frame);
    this.#flush(subscriber, lane);
  }

  /** Checks whether a subscriber on native topics has fallen behind. */
  slowDown(subscriber: Subscriber): void {
    const unsent = subscriber.socket?.bufferedBytes ?? 0;
    if (unsent < this.bounds.slowBytes || subscriber.lane !== null || !subscriber.isOpen) return;
    subscriber.lane = new SlowLane();
    for (const topic of subscriber.topics()) topic.becameSlow(subscriber);
  }

  /** The client has read data: sends more, and returns it to the native topics once its queue is empty. */
  drained(subscriber: Subscriber): void {
    const { lane, socket } = subscriber;
    if (lane === null || socket === null) return;
    this.#flush(subscriber, lane);
    if (lane.size > 0 || socket.bufferedBytes > 0) return;
    subscriber.lane = null;
    for (const topic of subscriber.topics()) topic.becameFast(subscriber);
  }

  /**
   * The native library dropped a frame. It reports so while iterating over the subscribers of a topic, and would
   * access freed memory if one of them were closed meanwhile: the close is decided now and executed in the next turn
   * of the loop.
   */
  dropped(subscriber: Subscriber): void {
    if (this.#mayLose(subscriber)) return this.observer.dropped(subscriber);
    if (!this.#decide(subscriber, 'over_capacity')) return;
    setImmediate(() => this.#end(subscriber, 'over_capacity'));
  }

  /** The queue has no capacity for another frame. */
  overflow(subscriber: Subscriber): void {
    if (this.#mayLose(subscriber)) this.observer.dropped(subscriber);
    else this.close(subscriber, 'over_capacity');
  }

  /**
   * Whether frames may be dropped. A subscriber that uses positions would not notice the gap: it is closed instead,
   * and recovers missed messages when it reconnects.
   */
  #mayLose({ edge, attachPoints, patterns }: Subscriber): boolean {
    const places = (attachPoints?.size ?? 0) + (patterns?.size ?? 0);
    return !this.bounds.disconnects && (edge.tellsPositions !== true || places === 0);
  }

  /** Closes a subscriber without an error frame, because even that would have to wait; in the next turn of the loop. */
  terminate(subscriber: Subscriber, reason: ErrorCode): void {
    if (this.#decide(subscriber, reason)) setImmediate(() => subscriber.socket?.terminate());
  }

  /**
   * Sends the client the reason, closes, and records the reason. Does nothing if it is closing already. `lastFact` is
   * sent before the error frame, regardless of what else waits. `text` replaces the text of the reason.
   */
  close(subscriber: Subscriber, reason: ErrorCode, lastFact: Fact | null = null, text?: string): void {
    if (this.#decide(subscriber, reason)) this.#end(subscriber, reason, lastFact, text);
  }

  /** Returns false if it is closing already, or if the reason does not close it. */
  #decide(subscriber: Subscriber, reason: ErrorCode): boolean {
    if (!subscriber.isOpen || ERRORS[reason].closeCode === null) return false;
    subscriber.endedFor = reason;
    const type = ERROR_TYPES[reason];
    if (type !== undefined) subscriber.hub.meters.error(type);
    return true;
  }

  #end(subscriber: Subscriber, reason: ErrorCode, lastFact: Fact | null = null, own?: string): void {
    const { socket, hub, codec } = subscriber;
    const { closeCode: code } = ERRORS[reason];
    const text = own ?? ERRORS[reason].text;
    if (socket === null || code === null) return;
    const error: Fact = { kind: 'failed', code, message: text, channel: null };
    socket.cork(() => {
      for (const fact of lastFact === null ? [error] : [lastFact, error]) {
        const frame = new Frames(fact).of(codec);
        if (frame === null) continue;
        if (hub.tap !== null) hub.tap.sent(subscriber, fact, frame);
        const outcome = socket.send(frame, typeof frame !== 'string', this.bounds.compress);
        if (outcome === 'sent' || outcome === 'buffered') hub.meters.sent(1, frameBytes(frame));
      }
      socket.end(code, text);
    });
    // A client so far behind that not even the close frame fits is dropped instead.
    if (socket.isOpen) socket.terminate();
  }

  /** Checked before a frame is processed, so that a rejected frame is never sent. */
  #fits(frame: Frame, lane: SlowLane, unsentBytes: number): boolean {
    const { maxFrames, maxBytes, slowBytes } = this.bounds;
    const isNext = lane.size === 0 && unsentBytes < slowBytes;
    return (isNext || lane.size < maxFrames) && lane.bytes + unsentBytes + frameBytes(frame) <= maxBytes;
  }

  #flush(subscriber: Subscriber, lane: SlowLane): void {
    const { socket, hub } = subscriber;
    if (socket === null) return;
    while (lane.size > 0 && socket.bufferedBytes < this.bounds.slowBytes) {
      const frame = lane.shift();
      if (frame === undefined) return;
      socket.send(frame, typeof frame !== 'string', this.bounds.compress);
      hub.meters.sent(1, frameBytes(frame));
      subscriber.sent += 1;
    }
  }
}
