import { CompatError, type ConnectionKeys, type ErrorBody } from '@carillon/compat-core';
import type { Hub } from '@carillon/hub';
import type { CompatConnection } from './connection.js';
import type { Counted } from './counted.js';
import { expiryOf } from './expiry.js';
import { ACTION } from './flags.js';
import type { Said } from './said.js';
import type { Sessions } from './sessions.js';

const BEAT_MS = 7500;
const REFRESH_MS = 60_000;
const NORMAL = 1000;
/** What a connection closes with that somebody else has become. */
const REPLACED = 1006;

/** The connections that are here, from their entry to their end. */
export class Life {
  readonly connections = new Set<CompatConnection>();
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(
    private readonly hub: Hub,
    private readonly said: Said,
    private readonly sessions: Sessions,
    private readonly keys: ConnectionKeys,
    private readonly counted: Counted,
  ) {
    this.#timers = [
      setInterval(() => this.#beat(Date.now()), BEAT_MS).unref(),
      setInterval(() => this.#refresh(), REFRESH_MS).unref(),
    ];
  }

  begin(connection: CompatConnection): void {
    this.hub.admit(connection);
    this.connections.add(connection);
    this.counted.opened(connection);
  }

  /** Says the last frame, and closes: the client may come back. */
  end(connection: CompatConnection, action: number, error?: ErrorBody): void {
    this.said.say(connection, { action, ...(error === undefined ? {} : { error }) });
    connection.socket?.end(NORMAL, '');
  }

  /** The same, and its members leave at once: it does not come back. */
  endForGood(connection: CompatConnection, action: number, error?: ErrorBody): void {
    const left = this.said.allLeave(connection, 0, 'left');
    void Promise.all([left, this.keys.end(connection)]).catch((trouble: unknown) =>
      this.hub.onTrouble('the end of a connection', trouble),
    );
    this.end(connection, action, error);
  }

  /** Its socket has closed; its members stay for a while, in case it comes back. */
  closed(connection: CompatConnection, code: number): void {
    if (!this.hub.closed(connection, code)) return;
    this.connections.delete(connection);
    this.counted.closed(connection);
    this.sessions.park(connection);
    void this.said
      .allLeave(connection, connection.manner.remainMs, 'connection_lost')
      .catch((error: unknown) => this.hub.onTrouble('presence leave', error));
  }

  /** The connection that came back, whose old socket may still look open; null: it was not here. */
  former(open: unknown, connectionId: string): CompatConnection | null {
    if (open !== undefined && this.#isHere(open)) {
      const { socket } = open;
      this.closed(open, REPLACED);
      socket?.terminate();
    }
    return this.sessions.unpark(connectionId);
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  #isHere(open: unknown): open is CompatConnection {
    return this.connections.has(open as CompatConnection);
  }

  #beat(nowMs: number): void {
    for (const connection of this.connections) {
      if (connection.manner.beats) this.said.say(connection, { action: ACTION.heartbeat });
      else connection.transport?.ping();
      const what = expiryOf(connection.principal.expiresMs, nowMs, BEAT_MS);
      if (what === 'ending') this.said.say(connection, { action: ACTION.auth });
      else if (what === 'ended')
        this.end(connection, ACTION.disconnected, new CompatError(40_142, 'the token has expired').body);
    }
  }

  #refresh(): void {
    for (const connection of this.connections)
      void this.keys
        .refresh(connection)
        .catch((error: unknown) => this.hub.onTrouble('the key of a connection', error));
  }
}
