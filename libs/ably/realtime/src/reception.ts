import { CompatError, type CompatCore, encodeWire, type Principal } from '@carillon/ably-core';
import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import { type Edge, type Hub, UpgradeLimit } from '@carillon/realtime';
import type { RateLimit } from '@carillon/rate-limit';
import type { Admission, Logger, Metrics } from '@carillon/runtime';
import type { HttpRequest, Socket, UpgradeDecision } from '@carillon/uws';
import { Arrival, arrivalOf } from './arrival.js';
import type { Codecs } from './codecs.js';
import { connectedFrame } from './connected.js';
import { CompatConnection } from './connection.js';
import type { Counted } from './counted.js';
import { ACTION } from './flags.js';
import type { Life } from './life.js';
import type { Members } from './presence.js';
import type { Said } from './said.js';
import type { Session, Sessions } from './sessions.js';

export interface ReceptionParts {
  readonly config: Config;
  readonly core: CompatCore;
  readonly hub: Hub;
  readonly edge: Edge;
  readonly admission: Admission;
  readonly rateLimit: RateLimit;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly codecs: Codecs;
  readonly counted: Counted;
  readonly said: Said;
  readonly life: Life;
  readonly members: Members;
  readonly sessions: Sessions;
}

/** State of a socket: not admitted yet, admitted, or refused. */
export type SocketState = Arrival | CompatConnection | null;
type Client = Socket<SocketState>;

/** Takes a frame of an admitted connection. */
export type TakeFrame = (connection: CompatConnection, bytes: Uint8Array, isBinary: boolean) => void;

const ADMISSION_MS = 10_000;
/** Time that a client has to close itself once it was told why it is not let in. */
const PEER_CLOSES_MS = 250;
/** Codes after which the client may come again. */
const COMES_AGAIN: ReadonlySet<number> = new Set([40_141, 40_142, 50_000, 50_003, 50_004, 50_320]);
const NORMAL = 1000;
/** There are too many connections, and what a connection closes with for that. */
const TOO_MANY = 50_004;
const COMES_LATER = 4100;

/** Decides on upgrades and admits sockets as connections. */
export class Reception {
  readonly #limit: UpgradeLimit | null;

  constructor(private readonly parts: ReceptionParts) {
    this.#limit = UpgradeLimit.of(parts.config, parts.rateLimit, parts.metrics);
  }

  upgrade(request: HttpRequest): Promise<UpgradeDecision<SocketState>> | UpgradeDecision<SocketState> {
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
    decision: UpgradeDecision<SocketState>,
  ): Promise<UpgradeDecision<SocketState>> {
    const { headers, refusal } = await check;
    if (refusal !== null) return { refuse: refusal };
    return 'accept' in decision ? { ...decision, headers } : decision;
  }

  #decide(request: HttpRequest): UpgradeDecision<SocketState> {
    const arrival = arrivalOf(request, this.parts.core, this.parts.config);
    if (arrival !== null) return { accept: arrival };
    const error = new CompatError(40_000, 'format is not known').body;
    return { refuse: { status: 400, headers: { 'x-ably-errorcode': '40000' }, body: { error } } };
  }

  /** Admits a socket, or tells it why not. `take` gets the frames that arrived meanwhile before any later one. */
  open(socket: Client, take: TakeFrame): void {
    const { state } = socket;
    if (state instanceof Arrival) void this.#receiveInTime(socket, state, take);
  }

  /** Closes a socket that is not admitted in time. */
  async #receiveInTime(socket: Client, arrival: Arrival, take: TakeFrame): Promise<void> {
    const late = setTimeout(() => {
      if (socket.state === arrival) socket.end(NORMAL, '');
    }, ADMISSION_MS);
    await this.#receive(socket, arrival, take);
    clearTimeout(late);
  }

  async #receive(socket: Client, arrival: Arrival, take: TakeFrame): Promise<void> {
    const { format } = arrival.manner;
    try {
      if (this.parts.config.compat.realtime_admission === 'placement_constraint')
        throw new CompatError(50_320, 'no connection may be placed here');
      if (!this.parts.life.hasRoom(arrival.wanted !== null))
        throw new CompatError(50_003, 'no more connections are taken here', 503);
      const principal = await arrival.prove();
      const place = await this.parts.hub.places.take(principal.app);
      if (place === false) throw new CompatError(50_004, 'too many connections');
      const connection = await this.#admit(socket, arrival, principal, place === true);
      for (const { bytes, isBinary } of arrival.early) take(connection, bytes, isBinary);
    } catch (error) {
      const told = error instanceof CompatError ? error : new CompatError(50_000, 'service unavailable', 503);
      if (!(error instanceof CompatError)) this.parts.log.warn('connection not let in', { error });
      this.parts.counted.refused(told);
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

  async #admit(
    socket: Client,
    arrival: Arrival,
    principal: Principal,
    holdsPlace: boolean,
  ): Promise<CompatConnection> {
    const { hub } = this.parts;
    const session = await this.#session(socket, arrival, principal, holdsPlace);
    if (arrival.wanted !== null) this.parts.counted.cameBack(session.error);
    const appHub = hub.hubs.of(principal.app);
    const { connectionId, keyHash, takenHash } = session;
    const former = takenHash === null ? null : this.parts.life.former(appHub.appId, connectionId, takenHash);
    const codec = this.parts.codecs.of({
      format: arrival.manner.format,
      channelText: null,
      modes: 0,
      filter: null,
    });
    const { manner } = arrival;
    const about = { principal, manner, keyHash };
    const connection = new CompatConnection(
      connectionId,
      appHub,
      this.parts.edge,
      codec,
      about,
      former?.receipts,
    );
    connection.holdsPlace = holdsPlace;
    connection.mayRepeat = takenHash !== null && former === null;
    if (!socket.isOpen || hub.places.full(principal.app) !== null) {
      hub.places.giveBack(connection);
      throw new CompatError(50_004, 'too many connections');
    }
    connection.socket = socket;
    connection.transport = socket;
    socket.state = connection;
    this.parts.life.begin(connection);
    this.parts.said.say(
      connection,
      connectedFrame(connection, session, this.parts.config.instance.process_id),
    );
    if (takenHash !== null) this.#comeBack(connection, former, takenHash);
    return connection;
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
      return await this.parts.sessions.open(wanted, principal, attachesAnew);
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
        ? takings
            .take(hub.appId, { socketId, keyHash })
            .then((all) => this.parts.members.keep(connection, all))
        : this.parts.members.keep(connection, former.memberships());
    connection.comingBack = kept.catch((error: unknown) =>
      onTrouble('members of a connection that is back', error),
    );
  }
}
