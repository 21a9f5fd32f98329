import {
  type Leaving,
  type Outlet,
  type PatternBook,
  type SocketLimit,
  type WindowRule,
  type Work,
  Windows,
  inTurn,
} from '@carillon/hub';
import type { Connection } from '../connection/connection.js';
import { frameError, type FrameError } from '@carillon/protocol';
import type { ClientEvent, Inbound, SubscribeRequest } from '../connection/speech.js';
import type { ClientEvents } from './client-event.js';
import { type EventAnswer, EventAnswers } from './event-answers.js';
import type { Signin } from './signin.js';
import { failure } from './subscribe-verdict.js';
import type { Subscribe } from './subscribe.js';

/** What requests are handed to. */
export interface RequestParts {
  readonly outlet: Outlet;
  readonly subscribe: Subscribe;
  readonly clientEvents: ClientEvents;
  readonly signin: Signin;
  readonly leaving: Leaving;
  readonly patterns: PatternBook;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** What requests about no channel queue under: no channel has an empty name. */
const NO_CHANNEL = '';

/** Reads what a client sends and hands each request to who answers it. */
export class Requests {
  readonly #answers: EventAnswers;

  constructor(private readonly parts: RequestParts) {
    this.#answers = new EventAnswers(parts.outlet);
  }

  /** Takes one frame, whatever it holds. The bytes are not used after it returns. */
  take(connection: Connection, bytes: ArrayBuffer): void {
    const { frames } = connection.hub.rules;
    const isWithin = frames === null || this.#isWithin(connection, 'messages', frames);
    if (!connection.isOpen) return;
    const frame = connection.speech.read(bytes);
    // A heartbeat is answered even beyond the limit: refusing it would look like a dead server.
    if (frame.kind === 'ping') return this.parts.outlet.send(connection, { kind: 'pong' });
    if (frame.kind === 'pong' || frame.kind === 'ignored') {
      if (!isWithin) this.#tellLimit(connection);
      return;
    }
    if (isWithin) this.#answer(connection, frame);
    else if (frame.kind === 'client-event')
      this.#answers.of(connection, frame).refuse(limited(frame.channel));
    else this.#tellLimit(connection, channelOf(frame));
  }

  #answer(connection: Connection, frame: Exclude<Inbound, { kind: 'ping' | 'pong' | 'ignored' }>): void {
    const { outlet, signin, leaving, patterns } = this.parts;
    switch (frame.kind) {
      case 'subscribe':
        return this.#subscribe(connection, frame);
      case 'client-event':
        return this.#clientEvent(connection, frame);
      case 'unsubscribe':
        return this.#queue(connection, frame.channel, () => {
          const subscription = connection.subscriptions.get(frame.channel);
          connection.keep(frame.channel, null);
          patterns.leave(connection, frame.channel);
          return subscription === undefined ? undefined : leaving.channel(connection, subscription);
        });
      case 'signin':
        return this.#queue(connection, NO_CHANNEL, () => signin.handle(connection, frame));
      case 'refused':
        return outlet.error(connection, frame.error);
      case 'malformed':
        return this.#malformed(connection, frame);
      case 'channel-history':
        // Behind a subscribe that is under way; then two may be beside each other, of one channel too.
        return this.#queue(connection, frame.channel, () => {
          void connection.ask(frame);
          return undefined;
        });
      case 'resume':
        return this.#queue(connection, NO_CHANNEL, () => connection.ask(frame), frame.positions.size);
      case 'auth':
      case 'delta-sync-error':
      case 'enable-delta':
      case 'presence-update':
      default:
        return this.#queue(connection, 'channel' in frame ? frame.channel : NO_CHANNEL, () =>
          connection.ask(frame),
        );
    }
  }

  #subscribe(connection: Connection, frame: SubscribeRequest): void {
    const { subscribe, onTrouble } = this.parts;
    const work: Work = () => subscribe.handle(connection, frame);
    if (inTurn(connection, frame.channel, work, onTrouble)) return;
    subscribe.refuse(connection, frame.channel, failure('backpressure', 503, frame.channel, TOO_MANY_WAIT));
  }

  #clientEvent(connection: Connection, frame: ClientEvent): void {
    const { clientEvents } = connection.hub.rules;
    if (clientEvents !== null && !this.#isWithin(connection, 'client_events', clientEvents)) {
      if (connection.isOpen) this.#answers.of(connection, frame).refuse(limited(frame.channel));
      return;
    }
    const answer = this.#answers.of(connection, frame);
    const work: Work = () => this.parts.clientEvents.handle(connection, frame, answer);
    this.#queue(connection, frame.channel ?? NO_CHANNEL, work, 1, answer);
  }

  #queue(connection: Connection, subject: string, work: Work, weight = 1, answer?: EventAnswer): void {
    if (inTurn(connection, subject, work, this.parts.onTrouble, undefined, weight)) return;
    const channel = subject === NO_CHANNEL ? null : subject;
    const error = frameError('backpressure', { channel, message: TOO_MANY_WAIT });
    if (answer === undefined) this.parts.outlet.error(connection, error);
    else answer.refuse(error);
  }

  #malformed(
    connection: Connection,
    { request, error }: { request: string | null; error: FrameError },
  ): void {
    const { outlet } = this.parts;
    if (request === null) connection.hub.meters.error('missing_event_name');
    outlet.error(connection, error);
    if (request === 'subscribe' && error.channel !== null) {
      this.parts.subscribe.failed(connection, error.channel, error, 400);
    }
  }

  /** Counts against a limit; a limit that terminates closes the connection. */
  #isWithin(connection: Connection, limit: SocketLimit, rule: WindowRule): boolean {
    connection.windows ??= new Windows();
    const nowMs = performance.now();
    const { windows } = connection;
    const isWithin = limit === 'messages' ? windows.frame(rule, nowMs) : windows.clientEvent(rule, nowMs);
    connection.hub.meters.limit(limit, isWithin);
    if (!isWithin && rule.terminates) this.parts.outlet.close(connection, 'closed_by_rate_limit');
    return isWithin;
  }

  #tellLimit(connection: Connection, channel: string | null = null): void {
    this.parts.outlet.error(connection, limited(channel));
  }
}

const limited = (channel: string | null): FrameError =>
  frameError('rate_limited', { channel, message: 'The rate limit is exceeded' });

/** The channel that a request names; null: none. */
function channelOf(frame: Exclude<Inbound, { kind: 'ping' | 'pong' | 'ignored' }>): string | null {
  if ('error' in frame) return frame.error.channel;
  return 'channel' in frame ? frame.channel : null;
}

const TOO_MANY_WAIT = 'Too many requests of this connection wait already, retry';
