import { CompatError, encodeWire } from '@carillon/ably-core';
import { ServiceError } from '@carillon/errors';
import { UpgradeLimit, type UpgradeVerdict } from '@carillon/realtime';
import type { RateLimit } from '@carillon/rate-limit';
import type { Admission, Metrics } from '@carillon/runtime';
import type { HttpRequest, Socket, UpgradeDecision } from '@carillon/uws';
import { Arrival, arrivalOf } from './arrival.js';
import type { CompatConnection } from './connection.js';
import { ConnectionAdmission, type ConnectionAdmissionParts } from './connection-admission.js';
import { ACTION } from './flags.js';
import type { Transport } from './transport.js';

export interface ReceptionParts extends ConnectionAdmissionParts {
  readonly admission: Admission;
  readonly rateLimit: RateLimit;
  readonly metrics: Metrics;
}

/** State of a socket: not admitted yet, admitted, or refused. */
export type SocketState = Arrival | CompatConnection | null;
type Client = Socket<SocketState>;

/** Takes a frame of an admitted connection. */
export type TakeFrame = (connection: CompatConnection, bytes: Uint8Array, isBinary: boolean) => void;

/** Longest time from the upgrade or request to CONNECTED. */
export const ADMISSION_MS = 10_000;
/** The time for a refused client to close the socket itself after it received the error. */
const PEER_CLOSES_MS = 250;
/** The error codes after which the client may retry. */
const COMES_AGAIN: ReadonlySet<number> = new Set([40_141, 40_142, 50_000, 50_003, 50_004, 50_320]);
const NORMAL = 1000;
/** The error code for too many connections, and the corresponding close code. */
const TOO_MANY = 50_004;
const COMES_LATER = 4100;

/** The frame that reports a failed admission: DISCONNECTED if the client may reconnect, else ERROR. */
export const refusalFrame = (error: CompatError): object => ({
  action: COMES_AGAIN.has(error.code) ? ACTION.disconnected : ACTION.error,
  error: error.body,
});

/** Decides on upgrades and admits connections of every transport. */
export class Reception {
  readonly #limit: UpgradeLimit | null;
  readonly #admission: ConnectionAdmission;

  constructor(private readonly parts: ReceptionParts) {
    this.#limit = UpgradeLimit.of(parts.config, parts.rateLimit, parts.metrics);
    this.#admission = new ConnectionAdmission(parts);
  }

  upgrade(request: HttpRequest): Promise<UpgradeDecision<SocketState>> | UpgradeDecision<SocketState> {
    const closed = this.#closed();
    if (closed !== null) return { refuse: closed };
    const decision = this.#decide(request);
    return this.#limit === null ? decision : this.#limited(this.#limit.check(request), decision);
  }

  /** The same checks for a request that opens a connection over HTTP; its headers go with every answer. */
  async check(request: HttpRequest): Promise<UpgradeVerdict> {
    const refusal = this.#closed();
    if (refusal !== null || this.#limit === null) return { headers: {}, refusal };
    return this.#limit.check(request);
  }

  /** Admits a connection of any transport, see `ConnectionAdmission`. */
  admit(transport: Transport, arrival: Arrival): Promise<CompatConnection> {
    return this.#admission.admit(transport, arrival);
  }

  /** Why the process takes no new connection; null: it does. */
  #closed(): ServiceError | null {
    const { admission, hub } = this.parts;
    const state = admission.state();
    if (state === 'MEMORY_PRESSURE') admission.countRejection();
    if (state !== 'ACCEPTING') return new ServiceError('service_unavailable', { text: state });
    return hub.isolation.isLong ? new ServiceError('service_unavailable', { text: 'CUT_OFF' }) : null;
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

  /**
   * Admits a socket or sends it the error. `take` receives the frames that arrived in the meantime before any later
   * one.
   */
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
      const connection = await this.admit(socket, arrival);
      for (const { bytes, isBinary } of arrival.early) take(connection, bytes, isBinary);
    } catch (error) {
      if (!(error instanceof CompatError)) throw error;
      socket.send(encodeWire(refusalFrame(error), format), format === 'msgpack');
      // Frames received from now on are ignored.
      if (socket.state === arrival) socket.state = null;
      const closeCode = error.code === TOO_MANY ? COMES_LATER : NORMAL;
      setTimeout(() => {
        if (socket.isOpen) socket.end(closeCode, '');
      }, PEER_CLOSES_MS).unref();
    }
  }
}
