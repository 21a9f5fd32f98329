import {
  CompatError,
  type CompatCore,
  decodeWire,
  encodeWire,
  isObject,
  type JsonObject,
  memberOf,
  type Principal,
  readCredentials,
  readChannelName,
} from '@carillon/compat-core';
import type { Config } from '@carillon/config';
import { type Edge, type Hub, inTurn } from '@carillon/hub';
import type { Presence } from '@carillon/presence';
import type { Admission, Logger } from '@carillon/runtime';
import type { WebhookEvents } from '@carillon/webhooks';
import type { HttpRequest, Socket, SocketHandlers, SocketOptions, UpgradeDecision } from '@carillon/uws';
import { ServiceError } from '@carillon/errors';
import { Arrival, arrivalOf } from './arrival.js';
import { Attach } from './attach.js';
import { connectedFrame, MAX_FRAME_BYTES } from './connected.js';
import { Codecs } from './codec.js';
import { compatEdge, CompatConnection } from './connection.js';
import type { Continuity } from './continuity.js';
import { expiryOf } from './expiry.js';
import { ACTION, grantedModes } from './flags.js';
import { Members } from './presence.js';
import { Publishing } from './publishing.js';
import { Revoking } from './revoking.js';
import { Said } from './said.js';
import { type Session, Sessions } from './sessions.js';
import type { Cache } from '@carillon/cache';

/** What the edge works with. */
export interface RealtimeParts {
  readonly config: Config;
  readonly core: CompatCore;
  readonly hub: Hub;
  readonly presence: Presence;
  readonly cache: Cache;
  readonly continuity: Continuity;
  readonly admission: Admission;
  readonly webhooks: WebhookEvents;
  readonly log: Logger;
}

type State = Arrival | CompatConnection | null;
type Client = Socket<State>;

const BEAT_MS = 7500;
const MAX_EARLY = 16;
const REFRESH_MS = 60_000;
/** Codes after which the client may come again. */
const COMES_AGAIN: ReadonlySet<number> = new Set([40_141, 40_142, 50_000, 50_003, 50_004, 50_320]);
const NORMAL = 1000;

/** The realtime edge for Ably clients. */
export class Realtime implements SocketHandlers<State> {
  readonly socketOptions: SocketOptions = { maxPayloadBytes: 4 * MAX_FRAME_BYTES, maxBackpressureBytes: 0 };
  readonly #codecs = new Codecs();
  readonly #said: Said;
  readonly #attach: Attach;
  readonly #publishing: Publishing;
  readonly #members: Members;
  readonly #sessions: Sessions;
  readonly #edge: Edge;
  readonly #connections = new Set<CompatConnection>();
  readonly #revoking: Revoking;
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(private readonly parts: RealtimeParts) {
    const { hub, presence, core, continuity, config, cache, webhooks } = parts;
    this.#edge = compatEdge(config.presence.ungraceful_timeout_seconds * 1000);
    this.#said = new Said(hub, presence);
    this.#members = new Members(presence, hub.outlet);
    this.#sessions = new Sessions(cache);
    this.#attach = new Attach({ core, hub, presence, continuity, codecs: this.#codecs, said: this.#said });
    this.#publishing = new Publishing(core, this.#members, this.#said, webhooks);
    this.#revoking = new Revoking({
      core,
      connections: this.#connections,
      warn: (connection) => this.#said.say(connection, { action: ACTION.auth }),
      end: (connection, { body: error }) => {
        this.#leaveForGood(connection);
        this.#end(connection, { action: ACTION.disconnected, error });
      },
      onTrouble: hub.onTrouble,
    });
    this.#timers = [
      setInterval(() => this.#beat(), BEAT_MS).unref(),
      setInterval(() => this.#refresh(), REFRESH_MS).unref(),
    ];
  }

  upgrade(request: HttpRequest): UpgradeDecision<State> {
    const state = this.parts.admission.state();
    if (state !== 'ACCEPTING') return { refuse: new ServiceError('service_unavailable', { text: state }) };
    const arrival = arrivalOf(request, this.parts.core, this.parts.config);
    if (arrival !== null) return { accept: arrival };
    const error = new CompatError(40_000, 'format is not known').body;
    return { refuse: { status: 400, headers: { 'x-ably-errorcode': '40000' }, body: { error } } };
  }

  open(socket: Client): void {
    const { state } = socket;
    if (state instanceof Arrival) void this.#receive(socket, state);
  }

  message(socket: Client, data: ArrayBuffer, isBinary: boolean): void {
    const { state } = socket;
    if (state instanceof Arrival) {
      if (state.early.length < MAX_EARLY)
        state.early.push({ bytes: new Uint8Array(data.slice(0)), isBinary });
    } else if (state?.isOpen === true) {
      state.hub.meters.received(data.byteLength);
      this.#take(state, new Uint8Array(data), isBinary);
    }
  }

  drain({ state }: Client): void {
    if (state instanceof CompatConnection) this.parts.hub.outlet.drained(state);
  }

  dropped({ state }: Client): void {
    if (state instanceof CompatConnection) this.parts.hub.outlet.dropped(state);
  }

  close({ state }: Client, code: number): void {
    if (state instanceof CompatConnection) this.#closed(state, code);
  }

  stop(): void {
    this.#revoking.stop();
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #receive(socket: Client, arrival: Arrival): Promise<void> {
    const { format } = arrival.manner;
    try {
      if (this.parts.config.compat.realtime_admission === 'placement_constraint')
        throw new CompatError(50_320, 'no connection may be placed here');
      const principal = await arrival.prove();
      const place = await this.parts.hub.places.take(principal.app);
      if (place === false) throw new CompatError(50_004, 'too many connections');
      await this.#admit(socket, arrival, principal, place === true);
    } catch (error) {
      const told = error instanceof CompatError ? error : new CompatError(50_000, 'service unavailable', 503);
      if (!(error instanceof CompatError)) this.parts.log.warn('connection not let in', { error });
      const action = COMES_AGAIN.has(told.code) ? ACTION.disconnected : ACTION.error;
      socket.send(encodeWire({ action, error: told.body }, format), format === 'msgpack');
      socket.end(NORMAL, '');
    }
  }

  async #admit(socket: Client, arrival: Arrival, principal: Principal, holdsPlace: boolean): Promise<void> {
    const { hub } = this.parts;
    const session = await this.#sessions.open(arrival.wanted, principal);
    const appHub = hub.hubs.of(principal.app);
    const former = session.isResumed ? this.#former(appHub.subscriber(session.connectionId), session) : null;
    const connection = new CompatConnection(
      session.connectionId,
      appHub,
      this.#edge,
      this.#codecs.of({ format: arrival.manner.format, channelText: null, modes: 0 }),
      principal,
      arrival.manner,
      session.keyHash,
      former?.receipts,
    );
    connection.holdsPlace = holdsPlace;
    if (!socket.isOpen || hub.places.full(principal.app) !== null) {
      hub.places.giveBack(connection);
      throw new CompatError(50_004, 'too many connections');
    }
    connection.socket = socket;
    socket.state = connection;
    hub.admit(connection);
    this.#connections.add(connection);
    this.#said.say(connection, connectedFrame(connection, session));
    if (former !== null) await this.#members.keep(former, connection);
    for (const { bytes, isBinary } of arrival.early) this.#take(connection, bytes, isBinary);
  }

  /** The connection that came back, whose old socket may still look open. */
  #former(open: unknown, { connectionId }: Session): CompatConnection | null {
    if (open instanceof CompatConnection) {
      const { socket } = open;
      this.#closed(open, 1006);
      socket?.terminate();
    }
    return this.#sessions.unpark(connectionId);
  }

  #take(connection: CompatConnection, bytes: Uint8Array, isBinary: boolean): void {
    const { format } = connection.manner;
    try {
      if (bytes.byteLength > MAX_FRAME_BYTES) throw new CompatError(40_009, 'the frame is too large', 413);
      if (isBinary !== (format === 'msgpack'))
        throw new CompatError(40_000, 'the frame is of another format');
      const frame = decodeWire(bytes, format);
      if (!isObject(frame) || typeof frame['action'] !== 'number')
        throw new CompatError(40_000, 'a frame must be an object with an action');
      this.#route(connection, frame);
    } catch (error) {
      if (!(error instanceof CompatError)) throw error;
      this.#end(connection, { action: ACTION.error, error: error.body });
    }
  }

  #route(connection: CompatConnection, frame: JsonObject): void {
    const { channel: text } = frame;
    switch (frame['action']) {
      case ACTION.heartbeat: {
        const { id } = frame;
        this.#said.say(connection, { action: ACTION.heartbeat, ...(typeof id === 'string' ? { id } : {}) });
        return;
      }
      case ACTION.close:
        this.#leaveForGood(connection);
        this.#end(connection, { action: ACTION.closed });
        return;
      case ACTION.disconnect:
        this.#end(connection, { action: ACTION.disconnected });
        return;
      case ACTION.attach:
        return this.#later(connection, () => this.#attach.handle(connection, frame));
      case ACTION.detach:
        return this.#later(connection, async () => {
          if (typeof text === 'string') await this.#attach.leave(connection, text);
          this.#said.say(connection, { action: ACTION.detached, channel: text });
        });
      case ACTION.message:
      case ACTION.presence:
      case ACTION.annotation:
      case ACTION.object:
        return this.#later(connection, () => this.#publishing.handle(connection, frame));
      case ACTION.sync:
        return this.#later(connection, () => this.#sync(connection, text));
      case ACTION.auth:
        return this.#later(connection, () => this.#authenticate(connection, frame));
      default:
    }
  }

  /** One after another, in the order they came. */
  #later(connection: CompatConnection, work: () => Promise<void>): void {
    if (!inTurn(connection, '', work, this.parts.hub.onTrouble))
      this.#end(connection, {
        action: ACTION.error,
        error: new CompatError(42_911, 'too many frames wait').body,
      });
  }

  async #sync(connection: CompatConnection, text: unknown): Promise<void> {
    const { base } = readChannelName(text);
    if (!connection.attachments.has(base)) return;
    const view = await this.parts.presence.look({ appId: connection.hub.appId, channel: base });
    const about = { action: 1, serial: view.serial, timestamp: Date.now() };
    this.#attach.sync(
      connection,
      String(text),
      view.members.map((one) => memberOf(base, one, about)),
    );
  }

  /** A new token for the same client; channels that it does not grant are lost. */
  async #authenticate(connection: CompatConnection, { auth }: JsonObject): Promise<void> {
    try {
      const token = isObject(auth) ? auth['accessToken'] : undefined;
      if (typeof token !== 'string') throw new CompatError(40_000, 'auth needs an accessToken');
      const query = { access_token: token };
      const asked = readCredentials({ query, header: () => undefined });
      const principal = await this.parts.core.authentication.prove(asked, Date.now());
      const before = connection.principal;
      if (principal.app.id !== before.app.id || principal.clientId !== before.clientId)
        throw new CompatError(40_102, 'clientId is not that of the connection');
      await this.#sessions.end(connection);
      connection.principal = principal;
      const { key, keyHash } = await this.#sessions.renew(connection.id, principal);
      connection.keyHash = keyHash;
      this.#said.say(connection, connectedFrame(connection, { key, error: null }));
      for (const [base, { text }] of connection.attachments)
        if (grantedModes(principal.capability, base) === 0)
          await this.#attach.failed(connection, text, new CompatError(40_160, 'the token does not grant it'));
    } catch (error) {
      const told = error instanceof CompatError ? error : new CompatError(50_000, 'service unavailable', 503);
      this.#end(connection, { action: ACTION.error, error: told.body });
    }
  }

  /** Says the last frame, and closes. */
  #end(connection: CompatConnection, frame: object): void {
    this.#said.say(connection, frame);
    connection.socket?.end(NORMAL, '');
  }

  #leaveForGood(connection: CompatConnection): void {
    const left = this.#said.allLeave(connection, 0, 'left');
    void Promise.all([left, this.#sessions.end(connection)]).catch((error: unknown) =>
      this.parts.hub.onTrouble('close', error),
    );
  }

  #closed(connection: CompatConnection, code: number): void {
    if (!this.parts.hub.closed(connection, code)) return;
    this.#connections.delete(connection);
    this.#sessions.park(connection);
    const { remainMs } = connection.manner;
    void this.#said
      .allLeave(connection, remainMs, 'connection_lost')
      .catch((error: unknown) => this.parts.hub.onTrouble('presence leave', error));
  }

  #beat(): void {
    const now = Date.now();
    for (const connection of this.#connections) {
      this.#said.say(connection, { action: ACTION.heartbeat });
      const what = expiryOf(connection.principal.expiresMs, now, BEAT_MS);
      if (what === 'ending') this.#said.say(connection, { action: ACTION.auth });
      if (what !== 'ended') continue;
      const error = new CompatError(40_142, 'the token has expired').body;
      this.#end(connection, { action: ACTION.disconnected, error });
    }
  }

  #refresh(): void {
    for (const connection of this.#connections)
      void this.#sessions
        .refresh(connection)
        .catch((error: unknown) => this.parts.hub.onTrouble('session', error));
  }
}
