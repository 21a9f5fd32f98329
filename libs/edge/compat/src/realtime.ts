import type { Cache } from '@carillon/cache';
import { CompatError, type CompatCore, encodeWire, type Principal } from '@carillon/compat-core';
import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import { type Edge, type Hub, UpgradeLimit } from '@carillon/hub';
import type { Presence } from '@carillon/presence';
import type { RateLimit } from '@carillon/rate-limit';
import type { Admission, Logger, Metrics } from '@carillon/runtime';
import type { HttpRequest, Socket, SocketHandlers, SocketOptions, UpgradeDecision } from '@carillon/uws';
import type { WebhookEvents } from '@carillon/webhooks';
import { Arrival, arrivalOf } from './arrival.js';
import { Attach } from './attach.js';
import { Codecs } from './codecs.js';
import { connectedFrame, MAX_FRAME_BYTES } from './connected.js';
import { compatEdge, CompatConnection } from './connection.js';
import type { Continuity } from './continuity.js';
import { Counted } from './counted.js';
import { Deltas } from './delta/deltas.js';
import { DerivedHolds } from './derived-holds.js';
import { ACTION } from './flags.js';
import { InboundFrames } from './frames.js';
import { Life } from './life.js';
import { Members } from './presence.js';
import { Publishing } from './publishing.js';
import { Reauth } from './reauth.js';
import { Revoking } from './revoking.js';
import { Receipts } from './receipts.js';
import { Remaining } from './remaining.js';
import { Said } from './said.js';
import { type Session, Sessions } from './sessions.js';
import { Syncing } from './syncing.js';

/** What the edge works with. */
export interface RealtimeParts {
  readonly config: Config;
  readonly core: CompatCore;
  readonly hub: Hub;
  readonly presence: Presence;
  readonly cache: Cache;
  readonly continuity: Continuity;
  readonly admission: Admission;
  readonly rateLimit: RateLimit;
  readonly webhooks: WebhookEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
}

type State = Arrival | CompatConnection | null;
type Client = Socket<State>;

const MAX_EARLY = 16;
const MIN_IDLE_SECONDS = 8;
const MAX_IDLE_SECONDS = 960;
const ADMISSION_MS = 10_000;
/** Time that a client has to close itself once it was told why it is not let in. */
const PEER_CLOSES_MS = 250;
/** Codes after which the client may come again. */
const COMES_AGAIN: ReadonlySet<number> = new Set([40_141, 40_142, 50_000, 50_003, 50_004, 50_320]);
const NORMAL = 1000;
/** There are too many connections, and what a connection closes with for that. */
const TOO_MANY = 50_004;
const COMES_LATER = 4100;

/** What the native library keeps time of; 0: it does not. */
const idleSeconds = (seconds: number): number =>
  seconds === 0 ? 0 : Math.min(MAX_IDLE_SECONDS, Math.max(MIN_IDLE_SECONDS, seconds));

/** The realtime edge for Ably clients: who is let in, and what their sockets do. */
export class Realtime implements SocketHandlers<State> {
  readonly socketOptions: SocketOptions;
  readonly #counted: Counted;
  readonly #codecs: Codecs;
  readonly #said: Said;
  readonly #members: Members;
  readonly #sessions: Sessions;
  readonly #life: Life;
  readonly #frames: InboundFrames;
  readonly #edge: Edge;
  readonly #derivedHolds: DerivedHolds;
  readonly #revoking: Revoking;
  readonly #limit: UpgradeLimit | null;

  constructor(private readonly parts: RealtimeParts) {
    const { hub, presence, core, continuity, config, webhooks, cache } = parts;
    this.#limit = UpgradeLimit.of(config, parts.rateLimit, parts.metrics);
    this.socketOptions = {
      maxPayloadBytes: 4 * MAX_FRAME_BYTES,
      maxBackpressureBytes: 0,
      // Clients say nothing in a silence, but answer pings.
      sendPingsAutomatically: true,
      idleTimeoutSeconds: idleSeconds(config.websocket.idle_timeout),
    };
    const leaseMs = config.presence.v2_ungraceful_timeout_seconds * 1000;
    this.#edge = compatEdge(leaseMs, (connection, text) => {
      this.#frames.next(connection, 0, () => attach.again(connection, text));
    });
    const counted = new Counted(core);
    this.#counted = counted;
    this.#codecs = new Codecs(counted, hub.filterShare);
    const said = new Said(hub, presence, counted);
    this.#said = said;
    const remaining = new Remaining(cache, presence);
    this.#members = new Members(presence, hub.outlet, remaining, counted, said);
    this.#sessions = new Sessions(core.connectionKeys);
    const isAlone = config.adapter.driver === 'local';
    const receipts = new Receipts(isAlone ? null : cache, (what, error) => hub.onTrouble(what, error));
    const life = new Life(hub, said, this.#sessions, core.connectionKeys, remaining, receipts, counted);
    this.#life = life;
    counted.watch(life.connections);
    hub.takings.answerWith((appId, taken) => life.takenElsewhere(appId, taken));
    const syncing = new Syncing(presence, said);
    this.#derivedHolds = new DerivedHolds(config);
    const attach = new Attach({
      core,
      hub,
      continuity,
      codecs: this.#codecs,
      counted,
      deltas: new Deltas(parts.metrics),
      derivedHolds: this.#derivedHolds,
      said,
      syncing,
      withinMs: config.compat.attach_timeout_ms,
    });
    const publishing = new Publishing(core, this.#members, said, webhooks, hub.outlet, counted, receipts);
    const reauth = new Reauth({
      core,
      hub,
      said,
      attach,
      syncing,
      life,
      serverId: config.instance.process_id,
    });
    this.#frames = new InboundFrames({ hub, said, life, attach, syncing, publishing, reauth });
    this.#revoking = new Revoking({
      core,
      connections: life.connections,
      warn: (connection) => said.say(connection, { action: ACTION.auth }),
      end: (connection, { body }) => life.endForGood(connection, ACTION.disconnected, body),
      onTrouble: hub.onTrouble,
    });
  }

  upgrade(request: HttpRequest): Promise<UpgradeDecision<State>> | UpgradeDecision<State> {
    const { admission } = this.parts;
    const state = admission.state();
    if (state === 'MEMORY_PRESSURE') admission.countRejection();
    if (state !== 'ACCEPTING') return { refuse: new ServiceError('service_unavailable', { text: state }) };
    if (this.parts.hub.isolation.isLong)
      return { refuse: new ServiceError('service_unavailable', { text: 'CUT_OFF' }) };
    const decision = this.#decide(request);
    return this.#limit === null ? decision : this.#limited(this.#limit.check(request), decision);
  }

  async #limited(
    check: ReturnType<UpgradeLimit['check']>,
    decision: UpgradeDecision<State>,
  ): Promise<UpgradeDecision<State>> {
    const { headers, refusal } = await check;
    if (refusal !== null) return { refuse: refusal };
    return 'accept' in decision ? { ...decision, headers } : decision;
  }

  #decide(request: HttpRequest): UpgradeDecision<State> {
    const arrival = arrivalOf(request, this.parts.core, this.parts.config);
    if (arrival !== null) return { accept: arrival };
    const error = new CompatError(40_000, 'format is not known').body;
    return { refuse: { status: 400, headers: { 'x-ably-errorcode': '40000' }, body: { error } } };
  }

  open(socket: Client): void {
    const { state } = socket;
    if (state instanceof Arrival) void this.#receiveInTime(socket, state);
  }

  message(socket: Client, data: ArrayBuffer, isBinary: boolean): void {
    const { state } = socket;
    if (state instanceof Arrival) {
      if (state.early.length < MAX_EARLY)
        state.early.push({ bytes: new Uint8Array(data.slice(0)), isBinary });
    } else if (state?.isOpen === true) {
      state.hub.meters.received(data.byteLength);
      this.#frames.take(state, new Uint8Array(data), isBinary);
    }
  }

  drain({ state }: Client): void {
    if (state instanceof CompatConnection) this.parts.hub.outlet.drained(state);
  }

  dropped({ state }: Client): void {
    if (state instanceof CompatConnection) this.parts.hub.outlet.dropped(state);
  }

  close({ state }: Client, code: number): void {
    if (!(state instanceof CompatConnection)) return;
    this.#derivedHolds.releaseAll(state);
    this.#life.closed(state, code);
  }

  stop(): void {
    this.#revoking.stop();
    this.#life.stop();
  }

  /** Who is not let in by then has waited long enough. */
  async #receiveInTime(socket: Client, arrival: Arrival): Promise<void> {
    const late = setTimeout(() => {
      if (socket.state === arrival) socket.end(NORMAL, '');
    }, ADMISSION_MS);
    await this.#receive(socket, arrival);
    clearTimeout(late);
  }

  async #receive(socket: Client, arrival: Arrival): Promise<void> {
    const { format } = arrival.manner;
    try {
      if (this.parts.config.compat.realtime_admission === 'placement_constraint')
        throw new CompatError(50_320, 'no connection may be placed here');
      if (!this.#life.hasRoom(arrival.wanted !== null))
        throw new CompatError(50_003, 'no more connections are taken here', 503);
      const principal = await arrival.prove();
      const place = await this.parts.hub.places.take(principal.app);
      if (place === false) throw new CompatError(50_004, 'too many connections');
      await this.#admit(socket, arrival, principal, place === true);
    } catch (error) {
      const told = error instanceof CompatError ? error : new CompatError(50_000, 'service unavailable', 503);
      if (!(error instanceof CompatError)) this.parts.log.warn('connection not let in', { error });
      this.#counted.refused(told);
      const action = COMES_AGAIN.has(told.code) ? ACTION.disconnected : ACTION.error;
      socket.send(encodeWire({ action, error: told.body }, format), format === 'msgpack');
      // What it says meanwhile is said to nobody.
      if (socket.state === arrival) socket.state = null;
      const closeCode = told.code === TOO_MANY ? COMES_LATER : NORMAL;
      setTimeout(() => {
        if (socket.isOpen) socket.end(closeCode, '');
      }, PEER_CLOSES_MS).unref();
    }
  }

  async #admit(socket: Client, arrival: Arrival, principal: Principal, holdsPlace: boolean): Promise<void> {
    const { hub } = this.parts;
    const session = await this.#session(socket, arrival, principal, holdsPlace);
    if (arrival.wanted !== null) this.#counted.cameBack(session.error);
    const appHub = hub.hubs.of(principal.app);
    const { connectionId, keyHash, takenHash } = session;
    const former = takenHash === null ? null : this.#life.former(appHub.appId, connectionId, takenHash);
    const codec = this.#codecs.of({
      format: arrival.manner.format,
      channelText: null,
      modes: 0,
      filter: null,
    });
    const { manner } = arrival;
    const about = { principal, manner, keyHash };
    const connection = new CompatConnection(connectionId, appHub, this.#edge, codec, about, former?.receipts);
    connection.holdsPlace = holdsPlace;
    connection.mayRepeat = takenHash !== null && former === null;
    if (!socket.isOpen || hub.places.full(principal.app) !== null) {
      hub.places.giveBack(connection);
      throw new CompatError(50_004, 'too many connections');
    }
    connection.socket = socket;
    connection.transport = socket;
    socket.state = connection;
    this.#life.begin(connection);
    this.#said.say(connection, connectedFrame(connection, session, this.parts.config.instance.process_id));
    if (takenHash !== null) this.#comeBack(connection, former, takenHash);
    // Before whatever comes from now on.
    for (const { bytes, isBinary } of arrival.early) this.#frames.take(connection, bytes, isBinary);
  }

  /** Nobody comes back by a socket that has closed meanwhile. */
  async #session(
    { isOpen }: Client,
    { wanted, attachesAnew }: Arrival,
    principal: Principal,
    holdsPlace: boolean,
  ): Promise<Session> {
    try {
      if (!isOpen) throw new CompatError(50_004, 'the socket has closed');
      return await this.#sessions.open(wanted, principal, attachesAnew);
    } catch (error) {
      if (holdsPlace) this.parts.hub.places.giveUp(principal.app);
      throw error;
    }
  }

  /** It stays the members that it was, wherever that was. */
  #comeBack(connection: CompatConnection, former: CompatConnection | null, keyHash: string): void {
    const { takings, onTrouble } = this.parts.hub;
    const { id: socketId, hub } = connection;
    const kept =
      former === null
        ? takings.take(hub.appId, { socketId, keyHash }).then((all) => this.#members.keep(connection, all))
        : this.#members.keep(connection, former.memberships());
    connection.comingBack = kept.catch((error: unknown) =>
      onTrouble('members of a connection that is back', error),
    );
  }
}
