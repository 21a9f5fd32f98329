import { type Outlet, type SocketLimit, type WindowRule, Windows } from '@carillon/realtime';
import { frameError, type FrameError } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { ClientEvent, Inbound } from '../connection/speech.js';
import type { EventAnswers } from './event-answers.js';

/** Frames that are requests. Heartbeats are answered by the reader itself. */
export type RequestFrame = Exclude<Inbound, { kind: 'ignored' | 'ping' | 'pong' }>;

/** Handles the frames of one kind. */
export type FrameHandler = (connection: Connection, frame: never) => void;

/** Every kind, as a compile-time checked list. */
const KINDS: Readonly<Record<RequestFrame['kind'], true>> = {
  auth: true,
  'channel-history': true,
  'client-event': true,
  'delta-sync-error': true,
  'enable-delta': true,
  malformed: true,
  'presence-update': true,
  refused: true,
  resume: true,
  signin: true,
  subscribe: true,
  unsubscribe: true,
};

/**
 * Decodes the frames of clients, counts them against the rate limits and passes requests to the handler of their kind.
 */
export class FrameReader {
  /** @throws Error if a kind has no handler */
  constructor(
    private readonly outlet: Outlet,
    private readonly answers: EventAnswers,
    private readonly handlers: ReadonlyMap<unknown, FrameHandler>,
  ) {
    const missing = Object.keys(KINDS).filter((kind) => !handlers.has(kind));
    if (missing.length > 0) throw new Error(`no handler is subscribed to: ${missing.join(', ')}`);
  }

  /** Reads one frame with arbitrary content. The bytes are not used after it returns. */
  take(connection: Connection, bytes: ArrayBuffer): void {
    const { frames } = connection.hub.rules;
    const isWithin = frames === null || this.#isWithin(connection, 'messages', frames);
    if (!connection.isOpen) return;
    const frame = connection.speech.read(bytes);
    // A heartbeat is answered even beyond the limit: refusing it would look like a dead server.
    if (frame.kind === 'ping') return this.outlet.send(connection, { kind: 'pong' });
    if (frame.kind === 'pong' || frame.kind === 'ignored') {
      if (!isWithin) this.#tellLimit(connection);
      return;
    }
    const { tap } = connection.hub;
    if (tap !== null && !hasTraceOfItsOwn(frame)) tap.frame(connection, 'in', frame.kind, bytes.byteLength);
    if (isWithin) this.#dispatch(connection, frame);
    else if (frame.kind === 'client-event') this.#refuse(connection, frame);
    else this.#tellLimit(connection, channelOf(frame));
  }

  #dispatch(connection: Connection, frame: RequestFrame): void {
    if (frame.kind === 'client-event' && !this.#mayPublish(connection, frame)) return;
    this.handlers.get(frame.kind)?.(connection, frame as never);
  }

  /** Client events have a limit of their own beside that of all frames. */
  #mayPublish(connection: Connection, frame: ClientEvent): boolean {
    const { clientEvents } = connection.hub.rules;
    if (clientEvents === null || this.#isWithin(connection, 'client_events', clientEvents)) return true;
    if (connection.isOpen) this.#refuse(connection, frame);
    return false;
  }

  #refuse(connection: Connection, frame: ClientEvent): void {
    this.answers.of(connection, frame).refuse(limited(frame.channel));
  }

  /** Counts against a limit; a limit that terminates closes the connection. */
  #isWithin(connection: Connection, limit: SocketLimit, rule: WindowRule): boolean {
    connection.windows ??= new Windows();
    const nowMs = performance.now();
    const { windows } = connection;
    const isWithin = limit === 'messages' ? windows.frame(rule, nowMs) : windows.clientEvent(rule, nowMs);
    connection.hub.meters.limit(limit, isWithin);
    if (!isWithin && rule.terminates) this.outlet.close(connection, 'closed_by_rate_limit');
    return isWithin;
  }

  #tellLimit(connection: Connection, channel: string | null = null): void {
    this.outlet.error(connection, limited(channel));
  }
}

/** Subscriptions and messages are traced when they take effect. */
const hasTraceOfItsOwn = ({ kind }: RequestFrame): boolean =>
  kind === 'subscribe' || kind === 'unsubscribe' || kind === 'client-event';

const limited = (channel: string | null): FrameError =>
  frameError('rate_limited', { channel, message: 'The rate limit is exceeded' });

/** The channel that a request names; null: none. */
function channelOf(frame: RequestFrame): string | null {
  if ('error' in frame) return frame.error.channel;
  return 'channel' in frame ? frame.channel : null;
}
