import { Wheel } from '@carillon/collections';
import type { ErrorCode } from '@carillon/errors';
import type { Hub } from '@carillon/realtime';
import type { Connection } from '@carillon/sockets';
import type { StreamPositions } from '../position/stream-positions.js';
import type { StreamSettings } from '../settings.js';
import { StreamConnection } from '../transport/stream-connection.js';
import { Followed } from './followed.js';

const TICK_MS = 500;
/** The interval at which the positions of filtered streams are compared with their channels. */
const FILTERED_MS = 100;
/** A client that has read nothing for so long is gone. */
const STALLED_MS = 60_000;
/** The wheel is looked at again at least this often. */
const FARTHEST_MS = 60_000;
/** The time for which the client of a session may be silent beyond the activity timeout. */
const SILENCE_MS = 30_000;
/** The age at which a stream ends is spread by this part of it. */
const AGE_SPREAD = 0.1;

/** Heartbeats and the timeouts of HTTP streams, with one timer for all of them. */
export class StreamClock {
  readonly #wheel = new Wheel<Connection>((connection) => this.#look(connection));
  readonly #followed = new Map<StreamConnection, Followed>();
  readonly #filtered = new Set<Followed>();
  readonly #startMs = performance.now();
  #timers: readonly NodeJS.Timeout[] = [];

  constructor(
    private readonly settings: StreamSettings,
    private readonly hub: Hub,
  ) {}

  start(): void {
    if (this.#timers.length > 0) return;
    this.#timers = [
      setInterval(() => this.#wheel.advance(this.#tickOf(performance.now())), TICK_MS).unref(),
      setInterval(() => this.#lookAtFiltered(), FILTERED_MS).unref(),
    ];
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
  }

  begin(connection: StreamConnection): void {
    const { maxDurationMs } = this.settings;
    const spread = 1 + (Math.random() * 2 - 1) * AGE_SPREAD;
    connection.endsMs = connection.openedMs + maxDurationMs * spread;
    this.#wheel.put(connection, this.#wheel.tick + 1);
  }

  /** Sends the client of a stream new ids when its channels advance without a message for it. */
  follow(
    connection: StreamConnection,
    channels: readonly string[],
    positions: StreamPositions,
    isFiltered: boolean,
  ): void {
    if (!connection.isOpen) return;
    const followed = new Followed(connection, channels, positions, this.hub);
    this.#followed.set(connection, followed);
    if (isFiltered) this.#filtered.add(followed);
  }

  end(connection: StreamConnection): void {
    this.#wheel.remove(connection);
    const followed = this.#followed.get(connection);
    if (followed === undefined) return;
    this.#followed.delete(connection);
    this.#filtered.delete(followed);
  }

  #lookAtFiltered(): void {
    for (const followed of this.#filtered) {
      if (!followed.isFarAhead()) continue;
      followed.advance();
      followed.connection.http?.ping();
    }
  }

  #look(connection: Connection): void {
    if (!(connection instanceof StreamConnection) || !connection.isOpen) return;
    const nowMs = performance.now();
    const end = this.#endOf(connection, nowMs);
    if (end !== null) return this.hub.outlet.close(connection, end);
    const { http } = connection;
    if (http === null) return;
    const isSilent = nowMs >= http.writtenMs + this.settings.heartbeatMs;
    if (isSilent && connection.lane === null) {
      this.#followed.get(connection)?.advance();
      http.ping();
    }
    const dueMs = Math.min(
      isSilent ? nowMs + this.settings.heartbeatMs : http.writtenMs + this.settings.heartbeatMs,
      this.#latestMs(connection),
    );
    this.#wheel.put(connection, this.#tickOf(Math.min(dueMs, nowMs + FARTHEST_MS)) + 1);
  }

  /** When the service ends the connection unless something happens. */
  #latestMs(connection: StreamConnection): number {
    const { authenticationTimeoutMs, activityTimeoutSeconds } = this.settings;
    const isAnonymous = connection.hub.rules.signin && !connection.isAuthorized;
    return Math.min(
      isAnonymous ? connection.openedMs + authenticationTimeoutMs : Infinity,
      (connection.http?.stalledSinceMs ?? Infinity) + STALLED_MS,
      connection.heardMs + activityTimeoutSeconds * 1000 + SILENCE_MS,
      connection.endsMs,
    );
  }

  /** Returns the reason to end the connection now; null: it continues. */
  #endOf(connection: StreamConnection, nowMs: number): ErrorCode | null {
    const { authenticationTimeoutMs, activityTimeoutSeconds } = this.settings;
    const isAnonymous = connection.hub.rules.signin && !connection.isAuthorized;
    if (isAnonymous && nowMs >= connection.openedMs + authenticationTimeoutMs)
      return 'authentication_timeout';
    if (nowMs >= (connection.http?.stalledSinceMs ?? Infinity) + STALLED_MS) return 'pong_missing';
    if (nowMs >= connection.heardMs + activityTimeoutSeconds * 1000 + SILENCE_MS) return 'pong_missing';
    return nowMs >= connection.endsMs ? 'stream_too_old' : null;
  }

  #tickOf(ms: number): number {
    return 1 + Math.floor((ms - this.#startMs) / TICK_MS);
  }
}
