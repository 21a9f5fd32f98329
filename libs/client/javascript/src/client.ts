import type { Api } from './api.js';
import { askApp } from './auth/authorizer.js';
import { Token } from './auth/token.js';
import { Channel, type EventMap } from './channel/channel.js';
import { Pacer } from './channel/pacer.js';
import { Histories } from './channel/history.js';
import type { SubscribeOptions } from './channel/options.js';
import { resumeFrames, type Standing } from './channel/resuming.js';
import { Channels } from './channels.js';
import { realClock } from './connection/clock.js';
import { Connection } from './connection/connection.js';
import { HttpStream } from './connection/http-stream.js';
import { ownSocket, type SocketConstructor, type SocketLike } from './connection/socket.js';
import type { ConnectionState, StateChange } from './connection/state.js';
import { TRANSPORTS, type TransportName, Transports } from './connection/transports.js';
import { Emitter } from './emitter.js';
import { CarillonError, errorOf } from './error.js';
import type { Frame } from './format/frame.js';
import { json } from './format/json.js';
import { followNetwork } from './network.js';
import { addressOf, type ClientOptions } from './options.js';
import { Router } from './router.js';
import { tokenApi } from './token-api.js';
import { User } from './user.js';

/** Events of a client. */
export interface ClientEvents {
  readonly state: StateChange;
  /** A refusal that no other listener received, or a failure. */
  readonly error: CarillonError;
  /** A capability token has ended, or was revoked: then the connection ends too. */
  readonly tokenExpired: { readonly isRevoked: boolean };
}

const NO_SOCKET = 'This runtime has no WebSocket: pass one in the options';
const NEEDS_SIGNATURE = /^(\[meta\])?(private|presence)-/;
const REVOKED = 40160;
/** Unanswered subscribe requests; the service keeps 1000 frames for a socket by default. */
const MAX_SUBSCRIBING = 100;

/** A client of the service: one connection that reconnects automatically, and any number of channels on it. */
export class Carillon extends Emitter<ClientEvents> {
  readonly user: User;
  readonly #options: ClientOptions;
  readonly #connection: Connection;
  readonly #channels = new Channels();
  readonly #pacer: Pacer;
  readonly #histories: Histories;
  readonly #token: Token | null;
  readonly #vendor: string;
  readonly #hasBytes: boolean;
  readonly #Socket: SocketConstructor | undefined;
  readonly #transports: Transports;
  #socketId: string | null = null;
  /** Whether the service acknowledges events on the current connection. */
  #acks = false;
  /** The same once channels may be subscribed on it. */
  #readySocketId: string | null = null;
  #stopFollowing: () => void = () => undefined;

  constructor(options: ClientOptions) {
    super();
    const { clock = realClock, vendor = 'service', token, format = json } = options;
    this.#options = options;
    this.#pacer = new Pacer(MAX_SUBSCRIBING, clock);
    this.#Socket = options.WebSocket ?? ownSocket();
    // A session speaks JSON alone.
    const usable = (name: TransportName): boolean => name === 'websocket' || format.name === 'json';
    const names = (options.transports ?? TRANSPORTS).filter(usable);
    this.#transports = new Transports(names, new URL(options.url).host, clock);
    this.#vendor = vendor;
    this.#hasBytes = format.name !== 'json';
    const send = (frame: Frame): boolean => this.#send(frame);
    this.#token =
      token === undefined
        ? null
        : new Token({
            clock,
            source: token,
            refresh: (fresh) => send({ event: 'service:auth', data: { token: fresh } }),
            onError: (error) => this.emit('error', errorOf(error)),
          });
    this.#connection = new Connection({
      clock,
      open: (address) => this.#open(address),
      transports: this.#transports,
      format,
      random: options.random ?? Math.random,
      backoff: options.backoff ?? {},
      address: async () => addressOf(options, (await this.#token?.current()) ?? null),
      exception: (code) => this.#exception(code),
      connectTimeoutMs: options.connectTimeoutMs ?? 15_000,
      pongTimeoutMs: options.pongTimeoutMs ?? 10_000,
      activityTimeoutMs: options.activityTimeoutMs ?? 30_000,
    });
    this.#histories = new Histories({ clock, vendor, hasBytes: this.#hasBytes, send });
    this.user = new User({
      clock,
      send,
      authenticate: options.authenticate ?? null,
      socketId: () => this.#socketId,
    });
    const router = this.#router();
    this.#connection.on('frame', (frame) => router.route(frame));
    this.#connection.on('state', (change) => this.#changed(change));
  }

  get state(): ConnectionState {
    return this.#connection.state;
  }

  /** The id of the current connection; null if none is established. */
  get socketId(): string | null {
    return this.#socketId;
  }

  /** The transport in use; null: no connection is established. */
  get transport(): TransportName | null {
    return this.#socketId === null ? null : this.#transports.current;
  }

  /**
   * Connects, and from then on reconnects automatically after network failures. Throws if the runtime has no
   * WebSocket, none was given and no other transport is left.
   */
  connect(): this {
    if (this.#Socket === undefined && this.#transports.current === 'websocket' && !this.#transports.hasNext) {
      throw new CarillonError(NO_SOCKET);
    }
    this.#stopFollowing();
    this.#stopFollowing = followNetwork({
      online: () => {
        if (this.state === 'waiting') this.#connection.connect();
        else this.#connection.check();
      },
      offline: () => this.#connection.lost('The network is gone'),
    });
    this.#connection.connect();
    return this;
  }

  disconnect(): void {
    this.#stopFollowing();
    this.#connection.disconnect();
  }

  /** The channel of that name, which is not subscribed by this. Patterns and meta channels are channels too. */
  channel<Events extends object = EventMap>(name: string): Channel<Events> {
    const known = this.#channels.get(name);
    if (known !== undefined) return known as unknown as Channel<Events>;
    const created = this.#create(name);
    this.#channels.add(created);
    if (this.#readySocketId !== null) created.subscription.connected(this.#readySocketId, false);
    return created as unknown as Channel<Events>;
  }

  /** Subscribes to the channel now, and again after each lost connection. */
  subscribe<Events extends object = EventMap>(name: string, options?: SubscribeOptions): Channel<Events> {
    const channel = this.channel<Events>(name);
    channel.subscribe(options);
    return channel;
  }

  /** Unsubscribes, and removes the channel with its listeners. */
  leave(name: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    channel.unsubscribe();
    this.#channels.forget(channel);
  }

  #open(address: string): SocketLike {
    const Socket = this.#transports.current === 'http-stream' ? HttpStream : this.#Socket;
    if (Socket === undefined) throw new CarillonError(NO_SOCKET);
    return new Socket(address);
  }

  #create(name: string): Channel {
    const { clock = realClock, authorize, api, isTrusted, maxQueued = 100 } = this.#options;
    const actsAsSocket = api !== undefined && isTrusted !== true;
    const needs = authorize !== undefined && NEEDS_SIGNATURE.test(name);
    return new Channel(name, {
      clock,
      pacer: this.#pacer,
      vendor: this.#vendor,
      wholeAppends: this.#options.appends === 'full',
      decoders: this.#options.deltas ?? [],
      decryptor: this.#options.decryptor ?? null,
      mostQueued: maxQueued,
      echoes: this.#options.echo ?? true,
      acks: () => this.#acks,
      retryMs: (attempt) => this.#connection.waitMs(attempt),
      histories: this.#histories,
      rest: {
        vendor: this.#vendor,
        hasBytes: this.#hasBytes,
        api: api ?? this.#tokenApi(),
        actor: () => (actsAsSocket ? this.#socketId : null),
      },
      send: (frame) => this.#send(frame),
      reconnect: (reason) => this.#connection.lost(reason),
      authorize: needs
        ? (about) => askApp(authorize, about, { socket_id: about.socketId, channel_name: about.channel })
        : null,
    });
  }

  /** Null: the client has no token, or does not know its app. */
  #tokenApi(): Api | null {
    const { url, appId } = this.#options;
    const token = this.#token;
    return token === null || appId === undefined ? null : tokenApi(url, appId, () => token.held());
  }

  #send(frame: Frame): boolean {
    const event = frame.event.replace(/^service:/, `${this.#vendor}:`);
    return this.#connection.send(event === frame.event ? frame : { ...frame, event });
  }

  #router(): Router {
    return new Router({
      vendor: this.#vendor,
      channels: this.#channels,
      histories: this.#histories,
      user: this.user,
      established: (socketId, activityTimeoutMs, acks) => {
        this.#acks = acks;
        void this.#established(socketId, activityTimeoutMs);
      },
      pong: () => this.#send({ event: 'service:pong' }),
      tokenTaken: () => this.#token?.watch(),
      tokenExpired: (code) => this.#tokenExpired(code),
      onError: (error) => this.emit('error', error),
    });
  }

  /**
   * Missed messages are requested before any channel is subscribed, because live messages would advance the position.
   */
  async #established(socketId: string, activityTimeoutMs: number): Promise<void> {
    this.#socketId = socketId;
    this.#connection.established(activityTimeoutMs);
    if (this.#socketId !== socketId) return;
    this.#token?.watch();
    const { deltas = [] } = this.#options;
    if (deltas.length > 0 && !this.#hasBytes) {
      const algorithms = deltas.map(({ algorithm }) => algorithm);
      this.#send({ event: 'service:enable_delta_compression', data: { algorithms } });
    }
    const resumed = this.#resume();
    await this.user.connected(socketId);
    if (this.#socketId !== socketId) return;
    this.#readySocketId = socketId;
    for (const { name, subscription } of this.#channels) {
      subscription.connected(socketId, resumed.has(name));
    }
  }

  /** Requests missed messages; returns the names of the channels. */
  #resume(): ReadonlySet<string> {
    const standings = [...this.#channels].flatMap(({ name, subscription }): Standing[] => {
      const position = subscription.isWanted ? subscription.resumable : null;
      return position === null ? [] : [[name, position]];
    });
    for (const frame of resumeFrames(standings)) this.#send(frame);
    return new Set(standings.map(([name]) => name));
  }

  #tokenExpired(code: number): void {
    const isRevoked = code === REVOKED;
    this.emit('tokenExpired', { isRevoked });
    if (!isRevoked) this.#token?.ended();
  }

  /** An expired token does not prevent reconnecting, since a new one can be fetched. */
  #exception(code: number): 'later' | null {
    if (code === 1009) for (const { subscription } of this.#channels) subscription.outbox.giveUp();
    return code === 4009 && this.#token?.renounce() === true ? 'later' : null;
  }

  #changed(change: StateChange): void {
    if (change.previous === 'connected') {
      this.#socketId = null;
      this.#readySocketId = null;
      this.#token?.rest();
      this.user.disconnected();
      this.#histories.disconnected();
      for (const { subscription } of this.#channels) subscription.disconnected();
    }
    if (change.current === 'disconnected' || change.current === 'failed') {
      const reason = change.reason ?? new CarillonError('The client was disconnected');
      for (const { subscription } of this.#channels) subscription.ended(reason);
    }
    this.emit('state', change);
  }
}
