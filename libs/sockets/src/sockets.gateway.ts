import { inTurn, type Work } from '@carillon/realtime';
import { frameError, type ResumeFrame } from '@carillon/protocol';
import { token } from '@carillon/runtime';
import { isTracingMessages, traced } from '@carillon/tracing';
import {
  type HttpRequest,
  messageHandlers,
  type NativeGateway,
  type Socket,
  type SocketOptions,
  type UpgradeDecision,
} from '@carillon/uws';
import { Inject, Injectable } from '@nestjs/common';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { Connection } from './connection/connection.js';
import type { ClientEvent, OwnRequest, SubscribeRequest } from './connection/speech.js';
import { type Arrival, PendingArrival } from './entrance/arrival.js';
import { type FrameHandler, FrameReader, type RequestFrame } from './requests/frame-reader.js';
import type { EventAnswer } from './requests/event-answers.js';
import { failure } from './requests/subscribe-verdict.js';
import type { Sockets } from './sockets.js';

export const SOCKETS = token<Sockets>('sockets');

/** Subject of requests without a channel: no channel has an empty name. */
const NO_CHANNEL = '';

const TOO_MANY_WAIT = 'Too many requests of this connection wait already, retry';

type FrameOf<Kind extends RequestFrame['kind']> = Extract<RequestFrame, { readonly kind: Kind }>;

/**
 * WebSocket connections of protocols 1 and 2. A frame is decoded once, to a request that is the same in both protocols, and
 * the method subscribed to its kind handles it. Requests of one connection about one channel run in order.
 */
@Injectable()
@WebSocketGateway({ path: '/app/:appKey' })
export class SocketsGateway implements NativeGateway<Arrival> {
  readonly #frames: FrameReader;

  constructor(@Inject(SOCKETS) private readonly sockets: Sockets) {
    this.#frames = new FrameReader(
      sockets.hub.outlet,
      sockets.eventAnswers,
      messageHandlers<FrameHandler>(this),
    );
  }

  get socketOptions(): SocketOptions {
    return this.sockets.options;
  }

  upgrade(request: HttpRequest): UpgradeDecision<Arrival> | Promise<UpgradeDecision<Arrival>> {
    return this.sockets.entrance.upgrade(request);
  }

  handleConnection(socket: Socket<Arrival>): void {
    this.sockets.reception.open(socket, (admitted, frame) => this.message(admitted, frame));
  }

  message({ state }: Socket<Arrival>, data: ArrayBuffer): void {
    if (state instanceof PendingArrival) return state.hold(data);
    if (state instanceof Connection) this.received(state, data);
  }

  /** Takes a frame of a client, whichever transport brought it. The bytes are not used after it returns. */
  received(connection: Connection, data: ArrayBuffer): void {
    if (!connection.isOpen) return;
    connection.hub.meters.received(data.byteLength);
    connection.received += 1;
    connection.activeTick = this.sockets.heartbeats.tick;
    if (isTracingMessages()) this.#takeTraced(connection, data);
    else this.#frames.take(connection, data);
  }

  ping(socket: Socket<Arrival>): void {
    this.#active(socket);
  }

  pong(socket: Socket<Arrival>): void {
    this.#active(socket);
  }

  drain({ state }: Socket<Arrival>): void {
    if (state instanceof Connection) this.sockets.hub.outlet.drained(state);
  }

  /** The native send buffer of the socket is full. */
  dropped({ state }: Socket<Arrival>): void {
    if (state instanceof Connection) this.sockets.hub.outlet.dropped(state);
  }

  handleDisconnect({ state }: Socket<Arrival>, code: number): void {
    if (state instanceof Connection && this.ended(state, code)) this.sockets.heartbeats.end(state);
  }

  /** A connection has ended, whichever its transport. False: it was never admitted, or is out already. */
  ended(connection: Connection, code: number): boolean {
    const { hub, tokens } = this.sockets;
    if (!hub.closed(connection, code)) return false;
    tokens.end(connection);
    connection.ended();
    return true;
  }

  @SubscribeMessage('subscribe')
  subscribe(connection: Connection, frame: SubscribeRequest): void {
    const { subscribe, hub } = this.sockets;
    const work: Work = () => subscribe.handle(connection, frame);
    if (inTurn(connection, frame.channel, work, hub.onTrouble)) return;
    subscribe.refuse(connection, frame.channel, failure('backpressure', 503, frame.channel, TOO_MANY_WAIT));
  }

  @SubscribeMessage('unsubscribe')
  unsubscribe(connection: Connection, { channel }: FrameOf<'unsubscribe'>): void {
    const { patterns, leaving } = this.sockets.hub;
    this.#queue(connection, channel, () => {
      const subscription = connection.subscriptions.get(channel);
      connection.keep(channel, null);
      patterns.leave(connection, channel);
      return subscription === undefined ? undefined : leaving.channel(connection, subscription);
    });
  }

  @SubscribeMessage('client-event')
  publish(connection: Connection, frame: ClientEvent): void {
    const { clientEvents, eventAnswers } = this.sockets;
    const answer = eventAnswers.of(connection, frame);
    const work: Work = () => clientEvents.handle(connection, frame, answer);
    this.#queue(connection, frame.channel ?? NO_CHANNEL, work, 1, answer);
  }

  @SubscribeMessage('signin')
  signin(connection: Connection, frame: FrameOf<'signin'>): void {
    this.#queue(connection, NO_CHANNEL, () => this.sockets.signin.handle(connection, frame));
  }

  @SubscribeMessage('resume')
  resume(connection: Connection, frame: ResumeFrame): void {
    this.#queue(connection, NO_CHANNEL, () => connection.ask(frame), frame.positions.size);
  }

  /** Waits for a subscribe to the channel in progress, but not for other history requests. */
  @SubscribeMessage('channel-history')
  history(connection: Connection, frame: FrameOf<'channel-history'>): void {
    this.#queue(connection, frame.channel, () => {
      void connection.ask(frame);
      return undefined;
    });
  }

  @SubscribeMessage('auth')
  refreshToken(connection: Connection, frame: FrameOf<'auth'>): void {
    this.#ask(connection, NO_CHANNEL, frame);
  }

  @SubscribeMessage('presence-update')
  updatePresence(connection: Connection, frame: FrameOf<'presence-update'>): void {
    this.#ask(connection, frame.channel, frame);
  }

  @SubscribeMessage('enable-delta')
  enableDeltas(connection: Connection, frame: FrameOf<'enable-delta'>): void {
    this.#ask(connection, NO_CHANNEL, frame);
  }

  @SubscribeMessage('delta-sync-error')
  resetDeltas(connection: Connection, frame: FrameOf<'delta-sync-error'>): void {
    this.#ask(connection, frame.channel ?? NO_CHANNEL, frame);
  }

  @SubscribeMessage('refused')
  refuse(connection: Connection, { error }: FrameOf<'refused'>): void {
    this.sockets.hub.outlet.error(connection, error);
  }

  @SubscribeMessage('malformed')
  refuseMalformed(connection: Connection, { request, error }: FrameOf<'malformed'>): void {
    if (request === null) connection.hub.meters.error('missing_event_name');
    this.sockets.hub.outlet.error(connection, error);
    if (request === 'subscribe' && error.channel !== null) {
      this.sockets.subscribe.failed(connection, error.channel, error, 400);
    }
  }

  #ask(connection: Connection, subject: string, frame: OwnRequest): void {
    this.#queue(connection, subject, () => connection.ask(frame));
  }

  #queue(connection: Connection, subject: string, work: Work, weight = 1, answer?: EventAnswer): void {
    const { outlet, onTrouble } = this.sockets.hub;
    if (inTurn(connection, subject, work, onTrouble, undefined, weight)) return;
    const channel = subject === NO_CHANNEL ? null : subject;
    const error = frameError('backpressure', { channel, message: TOO_MANY_WAIT });
    if (answer === undefined) outlet.error(connection, error);
    else answer.refuse(error);
  }

  #takeTraced(connection: Connection, data: ArrayBuffer): void {
    const attributes = { app_id: connection.hub.appId, protocol: connection.edge.protocol };
    traced(
      () => ({ name: 'message', kind: 'server', attributes }),
      () => this.#frames.take(connection, data),
    );
  }

  #active({ state }: Socket<Arrival>): void {
    if (state instanceof Connection) state.activeTick = this.sockets.heartbeats.tick;
  }
}
