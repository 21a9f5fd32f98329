import { type ConnectionErrorType, Frames, type Hub } from '@carillon/realtime';
import type { Connection } from '../connection/connection.js';
import type { Speech } from '../connection/speech.js';
import type { Tokens } from '../v2/tokens.js';
import { ERRORS, type ErrorCode } from '@carillon/errors';
import type { Logger, Metrics } from '@carillon/runtime';
import type { Socket } from '@carillon/uws';
import type { Heartbeats } from '../time/heartbeats.js';
import { PendingArrival, RefusedArrival, type Arrival, type SettledArrival } from './arrival.js';

/** Dependencies of {@link Reception}. */
export interface ReceptionParts {
  readonly hub: Hub;
  readonly heartbeats: Heartbeats;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly activityTimeoutSeconds: number;
  readonly tokens: Pick<Tokens, 'begin'>;
  /** Encodes frames sent before protocol and format of a connection are known. */
  readonly speech: Speech;
}

/** Reasons that count only after the quotas of the node and the app. */
const AFTER_QUOTAS: ReadonlySet<ErrorCode> = new Set(['over_connection_quota', 'token_refused']);

const ERROR_TYPES: Partial<Record<ErrorCode, ConnectionErrorType>> = {
  app_does_not_exist: 'app_not_found',
  app_disabled: 'app_disabled',
  origin_not_allowed: 'origin_not_allowed',
  over_connection_quota: 'over_quota',
  over_capacity: 'over_capacity',
};

/** The metric label of connections without an app. Client-supplied app keys must not become label values. */
const NO_APP = 'unknown';

/** Processes a frame that arrived before its connection was admitted. */
type TakeFrame = (socket: Socket<Arrival>, frame: ArrayBuffer) => void;

/** Admits upgraded connections or sends the refusal. Counting and admission are one atomic step. */
export class Reception {
  constructor(private readonly parts: ReceptionParts) {}

  open(socket: Socket<Arrival>, take: TakeFrame): void {
    const { state } = socket;
    if (state instanceof PendingArrival) void this.#wait(socket, state, take);
    else this.#settle(socket, state);
  }

  async #wait(socket: Socket<Arrival>, pending: PendingArrival, take: TakeFrame): Promise<void> {
    const arrival = await this.#decided(pending);
    if (!socket.isOpen) return this.#giveBack(arrival);
    socket.state = arrival;
    this.#settle(socket, arrival);
    for (const frame of pending.take()) take(socket, frame);
  }

  /** Awaits the decision. If it fails, the client receives a retryable error. */
  async #decided({ decision }: PendingArrival): Promise<SettledArrival> {
    try {
      return await decision;
    } catch (error) {
      this.parts.log.warn('cannot tell whether a connection may come in', { error, retryable: true });
      return new RefusedArrival('over_capacity', null, this.parts.speech.codec);
    }
  }

  #giveBack(arrival: SettledArrival): void {
    if (!(arrival instanceof RefusedArrival)) this.parts.hub.places.giveBack(arrival);
  }

  #settle(socket: Socket<Arrival>, state: SettledArrival): void {
    const { places } = this.parts.hub;
    if (state instanceof RefusedArrival) {
      const { reason, app, codec, message } = state;
      const late = AFTER_QUOTAS.has(reason) && app !== null ? places.full(app) : null;
      return this.#refuse(
        socket,
        new RefusedArrival(late ?? reason, app, codec, late === null ? message : null),
      );
    }
    const { app } = state.hub;
    const reason = places.full(app);
    if (reason === null) return this.#admit(socket, state);
    places.giveBack(state);
    return this.#refuse(socket, new RefusedArrival(reason, app, state.codec));
  }

  #admit(socket: Socket<Arrival>, connection: Connection): void {
    const { hub, heartbeats, activityTimeoutSeconds, tokens } = this.parts;
    connection.opened(socket);
    hub.admit(connection);
    heartbeats.begin(connection);
    const { id: socketId } = connection;
    const acks = connection.speech.acks ? ({ acks: true } as const) : {};
    hub.outlet.send(connection, { kind: 'established', socketId, activityTimeoutSeconds, ...acks });
    if (connection.token !== null) tokens.begin(connection, connection.token);
  }

  #refuse(socket: Socket<Arrival>, { reason, app, codec, message: told }: RefusedArrival): void {
    const { closeCode, text } = ERRORS[reason];
    const message = told ?? text;
    const code = closeCode ?? 4000;
    const labels = { app_id: app?.id ?? NO_APP, error_type: ERROR_TYPES[reason] ?? 'app_validation_failed' };
    this.parts.metrics.counter('connection_errors_total').for(labels).add();
    const frame = new Frames({ kind: 'failed', code, message, channel: null }).of(codec);
    if (frame !== null) socket.send(frame, typeof frame !== 'string');
    socket.end(code, message);
  }
}
