import { type JsonObject, readChannelName } from '@carillon/ably-core';
import { token } from '@carillon/runtime';
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
import { Arrival } from './arrival.js';
import type { HandleFrame } from './comet/comet-requests.js';
import { CompatConnection } from './connection.js';
import { ACTION } from './flags.js';
import { type FrameHandler, InboundFrames } from './frames.js';
import type { Realtime } from './realtime.js';
import type { SocketState, TakeFrame } from './reception.js';

export const REALTIME = token<Realtime>('compat realtime');

/**
 * WebSocket connections of Ably clients. A frame is decoded once, and the method subscribed to its action handles it;
 * other actions are ignored. Requests of one connection run in order.
 */
@Injectable()
@WebSocketGateway({ path: '/' })
export class RealtimeGateway implements NativeGateway<SocketState> {
  readonly isBesidePage = true;
  readonly #frames: InboundFrames;

  constructor(@Inject(REALTIME) private readonly realtime: Realtime) {
    this.#frames = new InboundFrames(realtime.life, messageHandlers<FrameHandler>(this));
  }

  get socketOptions(): SocketOptions {
    return this.realtime.socketOptions;
  }

  upgrade(request: HttpRequest): Promise<UpgradeDecision<SocketState>> | UpgradeDecision<SocketState> {
    return this.realtime.reception.upgrade(request);
  }

  handleConnection(socket: Socket<SocketState>): void {
    this.realtime.reception.open(socket, this.#take);
  }

  message({ state }: Socket<SocketState>, data: ArrayBuffer, isBinary: boolean): void {
    if (state instanceof Arrival) return state.hold(data, isBinary);
    if (state?.isOpen !== true) return;
    state.hub.meters.received(data.byteLength);
    state.received += 1;
    state.receivedMs = performance.now();
    this.#frames.take(state, new Uint8Array(data), isBinary);
  }

  drain({ state }: Socket<SocketState>): void {
    if (state instanceof CompatConnection) this.realtime.hub.outlet.drained(state);
  }

  /** The native send buffer of the socket is full. */
  dropped({ state }: Socket<SocketState>): void {
    if (state instanceof CompatConnection) this.realtime.hub.outlet.dropped(state);
  }

  handleDisconnect({ state }: Socket<SocketState>, code: number): void {
    if (state instanceof CompatConnection) this.realtime.closed(state, code);
  }

  /** A decoded frame of a connection that has another transport than a WebSocket. */
  readonly handle: HandleFrame = (connection, frame, bytes) => this.#frames.handle(connection, frame, bytes);

  @SubscribeMessage(ACTION.heartbeat)
  answerHeartbeat(connection: CompatConnection, { id }: JsonObject): void {
    const answer = { action: ACTION.heartbeat, ...(typeof id === 'string' ? { id } : {}) };
    this.realtime.said.say(connection, answer);
  }

  @SubscribeMessage(ACTION.close)
  close(connection: CompatConnection, _: JsonObject, bytes: number): void {
    this.realtime.ordered.add(connection, bytes, async () => {
      await connection.answers.said;
      this.realtime.life.endForGood(connection, ACTION.closed);
    });
  }

  @SubscribeMessage(ACTION.disconnect)
  disconnect(connection: CompatConnection, _: JsonObject, bytes: number): void {
    this.realtime.ordered.add(connection, bytes, async () => {
      await connection.answers.said;
      this.realtime.life.end(connection, ACTION.disconnected);
    });
  }

  @SubscribeMessage(ACTION.attach)
  attach(connection: CompatConnection, frame: JsonObject, bytes: number): void {
    this.realtime.ordered.add(connection, bytes, () => this.realtime.attach.handle(connection, frame));
  }

  @SubscribeMessage(ACTION.detach)
  detach(connection: CompatConnection, { channel }: JsonObject, bytes: number): void {
    this.realtime.ordered.add(connection, bytes, async () => {
      if (typeof channel === 'string') await this.realtime.attach.leave(connection, channel);
      this.realtime.said.say(connection, { action: ACTION.detached, channel });
    });
  }

  @SubscribeMessage(ACTION.sync)
  sync(connection: CompatConnection, { channel }: JsonObject, bytes: number): void {
    const { ordered, syncing } = this.realtime;
    ordered.add(connection, bytes, () => syncing.again(connection, readChannelName(channel).text));
  }

  @SubscribeMessage(ACTION.auth)
  reauthorize(connection: CompatConnection, frame: JsonObject, bytes: number): void {
    this.realtime.ordered.add(connection, bytes, () => this.realtime.reauth.handle(connection, frame));
  }

  @SubscribeMessage(ACTION.message)
  publish(connection: CompatConnection, frame: JsonObject, bytes: number): void {
    this.realtime.ordered.add(connection, bytes, () => this.realtime.publishing.handle(connection, frame));
  }

  @SubscribeMessage(ACTION.presence)
  updatePresence(connection: CompatConnection, frame: JsonObject, bytes: number): void {
    this.publish(connection, frame, bytes);
  }

  @SubscribeMessage(ACTION.annotation)
  annotate(connection: CompatConnection, frame: JsonObject, bytes: number): void {
    this.publish(connection, frame, bytes);
  }

  /** Objects are not supported: their publishes are answered with an error. */
  @SubscribeMessage(ACTION.object)
  publishObject(connection: CompatConnection, frame: JsonObject, bytes: number): void {
    this.publish(connection, frame, bytes);
  }

  @SubscribeMessage(ACTION.objectSync)
  syncObject(connection: CompatConnection, frame: JsonObject, bytes: number): void {
    this.publish(connection, frame, bytes);
  }

  readonly #take: TakeFrame = (connection, bytes, isBinary) => this.#frames.take(connection, bytes, isBinary);
}
