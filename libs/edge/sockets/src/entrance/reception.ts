import { ERRORS, type ErrorCode } from '@carillon/errors';
import { connectionEstablished, encodeV1, errorFrame } from '@carillon/protocol';
import type { ConnectionQuota } from '@carillon/presence';
import type { Admission, Logger, Metrics } from '@carillon/runtime';
import type { Socket } from '@carillon/uws';
import type { App } from '@carillon/app-registry';
import type { Connection } from '../connection/connection.js';
import type { Outlet } from '../delivery/outlet.js';
import type { Hubs } from '../hub/hubs.js';
import type { ConnectionErrorType } from '../metrics.js';
import type { Heartbeats } from '../time/heartbeats.js';
import { PendingArrival, RefusedArrival, type Arrival, type SettledArrival } from './arrival.js';

/** What the reception works with. */
export interface ReceptionParts {
  readonly admission: Admission;
  readonly hubs: Hubs;
  readonly heartbeats: Heartbeats;
  readonly outlet: Outlet;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Connections this process holds; 0: as many as come. */
  readonly maxConnections: number;
  readonly activityTimeoutSeconds: number;
  /** Reads a frame that came before the connection was let in. */
  readonly message: (socket: Socket<Arrival>, frame: ArrayBuffer) => void;
  /** Where places were taken on the way in; null: there are none to take. */
  readonly quota: ConnectionQuota | null;
}

/** Reasons that count only after the quotas of the node and the app. */
const AFTER_QUOTAS: ReadonlySet<ErrorCode> = new Set(['over_connection_quota', 'token_refused']);

const ERROR_TYPES: Partial<Record<ErrorCode, ConnectionErrorType>> = {
  app_does_not_exist: 'app_not_found',
  app_disabled: 'app_disabled',
  origin_not_allowed: 'origin_not_allowed',
  over_connection_quota: 'over_quota',
  over_capacity: 'over_capacity',
  cut_off: 'over_capacity',
};

/** The label of connections to no app: what clients make up must not become label values. */
const NO_APP = 'unknown';

/** Lets upgraded connections in, or tells them why not: count and entry are one step. */
export class Reception {
  constructor(private readonly parts: ReceptionParts) {}

  open(socket: Socket<Arrival>): void {
    const { state } = socket;
    if (state instanceof PendingArrival) void this.#wait(socket, state);
    else this.#settle(socket, state);
  }

  async #wait(socket: Socket<Arrival>, pending: PendingArrival): Promise<void> {
    const arrival = await this.#decided(pending);
    if (!socket.isOpen) return this.#giveBack(arrival);
    socket.state = arrival;
    this.#settle(socket, arrival);
    for (const frame of pending.take()) this.parts.message(socket, frame);
  }

  /** Nobody could say: the client is to come again. */
  async #decided({ decision }: PendingArrival): Promise<SettledArrival> {
    try {
      return await decision;
    } catch (error) {
      this.parts.log.warn('cannot tell whether a connection may come in', { error, retryable: true });
      return new RefusedArrival('over_capacity', null);
    }
  }

  #giveBack(arrival: SettledArrival): void {
    if (arrival instanceof RefusedArrival) return;
    if (arrival.holdsPlace) this.parts.quota?.release(arrival.hub.appId);
    arrival.holdsPlace = false;
    this.parts.hubs.release(arrival.hub);
  }

  #settle(socket: Socket<Arrival>, state: SettledArrival): void {
    if (state instanceof RefusedArrival) {
      const late = AFTER_QUOTAS.has(state.reason) && state.app !== null ? this.#full(state.app) : null;
      return this.#refuse(socket, late ?? state.reason, state.app);
    }
    const { app } = state.hub;
    const reason = this.#full(app);
    if (reason === null) return this.#admit(socket, state);
    this.#giveBack(state);
    return this.#refuse(socket, reason, app);
  }

  /** Memory, then the node's quota, then the app's. */
  #full(app: App): ErrorCode | null {
    const { admission, hubs, maxConnections } = this.parts;
    if (admission.state() === 'MEMORY_PRESSURE') {
      admission.countRejection();
      return 'over_capacity';
    }
    if (maxConnections > 0 && hubs.connections >= maxConnections) return 'over_capacity';
    const taken = hubs.find(app.id)?.size ?? 0;
    return taken >= app.limits.maxConnections ? 'over_connection_quota' : null;
  }

  #admit(socket: Socket<Arrival>, connection: Connection): void {
    const { hubs, heartbeats, outlet, log, activityTimeoutSeconds } = this.parts;
    connection.socket = socket;
    hubs.admit(connection);
    const { hub } = connection;
    heartbeats.begin(connection);
    outlet.send(connection, connectionEstablished({ socketId: connection.id, activityTimeoutSeconds }));
    if (log.enabled('debug'))
      log.debug('connected', { app_id: hub.appId, socket_id: connection.id, protocol: 1 });
  }

  #refuse(socket: Socket<Arrival>, reason: ErrorCode, app: App | null): void {
    const { closeCode, text } = ERRORS[reason];
    const code = closeCode ?? 4000;
    const labels = { app_id: app?.id ?? NO_APP, error_type: ERROR_TYPES[reason] ?? 'app_validation_failed' };
    this.parts.metrics.counter('connection_errors_total').for(labels).add();
    socket.send(encodeV1(errorFrame({ code, message: text, channel: null })));
    socket.end(code, text);
  }
}
