import { CompatError, type ConnectionKeys, type ErrorBody } from '@carillon/ably-core';
import type { ErrorCode } from '@carillon/errors';
import type { Hub, Membership, TakenConnection } from '@carillon/realtime';
import { CompatConnection } from './connection.js';
import type { Counted } from './counted.js';
import { ACTION } from './flags.js';
import type { Need } from './pulse.js';
import { Pulses } from './pulses.js';
import type { Receipts } from './receipts.js';
import type { Remaining } from './remaining.js';
import { Removals } from './removals.js';
import type { FrameWriter } from './frame-writer.js';
import type { Sessions } from './sessions.js';

/**
 * The limit of connections per process, including disconnected ones that may be resumed; and of members scheduled for
 * removal.
 */
const MAX_HERE = 100_000;
const REFRESH_MS = 60_000;
const NORMAL = 1000;
/** Something that an answer hangs on could not be asked. */
const UNAVAILABLE = 50_000;
/** The reasons for which the service ends connections permanently. */
const FOR_GOOD: ReadonlySet<ErrorCode> = new Set([
  'app_disabled',
  'app_does_not_exist',
  'disconnected_by_app',
  'token_revoked',
]);
/** The close code of a connection that was resumed by another socket. */
const REPLACED = 1006;

/** The connections that are here, from their entry to their end. */
export class Life {
  readonly connections = new Set<CompatConnection>();
  readonly #removals = new Removals();
  readonly #pulses = new Pulses((connection, need) => this.#tell(connection, need));
  readonly #refreshing = setInterval(() => this.#refresh(), REFRESH_MS).unref();

  constructor(
    private readonly hub: Hub,
    private readonly said: FrameWriter,
    private readonly sessions: Sessions,
    private readonly keys: ConnectionKeys,
    private readonly remaining: Remaining,
    private readonly receipts: Pick<Receipts, 'share'>,
    private readonly counted: Counted,
    private readonly most = MAX_HERE,
  ) {}

  /**
   * Whether one more connection can be admitted. A resumed one does not add to the disconnected ones, and its members
   * are no longer scheduled for removal.
   */
  hasRoom(comesBack: boolean): boolean {
    if (comesBack) return this.connections.size < this.most;
    return this.connections.size + this.sessions.size < this.most && this.#removals.size < this.most;
  }

  begin(connection: CompatConnection): void {
    this.hub.admit(connection);
    this.connections.add(connection);
    const { hub, principal } = connection;
    if (principal.clientId !== null) hub.signedIn.add(principal.clientId, connection);
    this.counted.opened(connection);
    this.#pulses.follow(connection);
  }

  /** It has another token. */
  renewed(connection: CompatConnection): void {
    this.#pulses.follow(connection);
  }

  /** Sends a last frame and closes; the client may resume. */
  end(connection: CompatConnection, action: number, error?: ErrorBody): void {
    this.said.say(connection, { action, ...(error === undefined ? {} : { error }) });
    connection.socket?.end(NORMAL, '');
  }

  /** Sends the error and closes; the client may retry if a store was unavailable. */
  refuse(connection: CompatConnection, error: CompatError): void {
    this.counted.refused(error);
    this.end(connection, error.code === UNAVAILABLE ? ACTION.disconnected : ACTION.error, error.body);
  }

  /** Like `end`, but its members leave immediately and it cannot be resumed. */
  endForGood(connection: CompatConnection, action: number, error?: ErrorBody): void {
    connection.isOver = true;
    const left = this.said.allLeave(connection, 0, 'left');
    void Promise.all([left, this.keys.end(connection)]).catch((trouble: unknown) =>
      this.hub.onTrouble('the end of a connection', trouble),
    );
    this.end(connection, action, error);
  }

  /** Handles a closed socket; its members remain for a while, in case it is resumed. */
  closed(connection: CompatConnection, code: number): void {
    if (!this.hub.closed(connection, code)) return;
    this.connections.delete(connection);
    this.#pulses.forget(connection);
    const { hub, principal, endedFor, manner } = connection;
    if (principal.clientId !== null) hub.signedIn.remove(principal.clientId, connection);
    this.counted.closed(connection);
    const isOver = connection.isOver || (endedFor !== null && FOR_GOOD.has(endedFor));
    if (!isOver) {
      this.sessions.park(connection);
      this.#removals.begin(connection);
      this.receipts.share();
    }
    const left = isOver
      ? [this.said.allLeave(connection, 0, 'forced_disconnect'), this.keys.end(connection)]
      : [this.said.allLeave(connection, manner.remainMs, 'connection_lost'), this.remaining.cut(connection)];
    void Promise.all(left).catch((error: unknown) => this.hub.onTrouble('presence leave', error));
  }

  /**
   * Returns the local state of a connection that was resumed, here or elsewhere, with the key of this hash. Its old
   * socket may still look open and is terminated; its members remain for the resume period. Null: it was not on this
   * node.
   */
  former(appId: string, connectionId: string, keyHash: string): CompatConnection | null {
    const open = this.#here(appId, connectionId);
    if (open !== null) {
      const { socket } = open;
      this.closed(open, REPLACED);
      socket?.terminate();
    }
    const former = this.sessions.unpark(connectionId, keyHash);
    if (former !== null) this.#removals.end(former);
    return former;
  }

  /** Like `former`, for a connection resumed elsewhere: returns its memberships. */
  takenElsewhere(appId: string, { socketId, keyHash }: TakenConnection): readonly Membership[] {
    const open = this.#here(appId, socketId);
    // It may have been resumed once more since, by this process.
    if (open !== null && open.keyHash !== keyHash) return [];
    return this.former(appId, socketId, keyHash)?.memberships() ?? [];
  }

  stop(): void {
    this.#pulses.stop();
    clearInterval(this.#refreshing);
  }

  #here(appId: string, connectionId: string): CompatConnection | null {
    const open = this.hub.hubs.find(appId)?.subscriber(connectionId);
    return open instanceof CompatConnection ? open : null;
  }

  #tell(connection: CompatConnection, need: Need): void {
    if (need === 'ending') this.said.say(connection, { action: ACTION.auth });
    else if (need === 'ended') {
      this.counted.tokenExpired();
      this.end(connection, ACTION.disconnected, new CompatError(40_142, 'the token has expired').body);
    } else if (connection.manner.beats) this.said.say(connection, { action: ACTION.heartbeat });
    else connection.transport?.ping();
  }

  #refresh(): void {
    for (const connection of this.connections)
      void this.#stay(connection).catch((error: unknown) =>
        this.hub.onTrouble('the key of a connection', error),
      );
  }

  /**
   * Extends the lifetime of its resume key. A connection that was resumed elsewhere without this process being
   * notified ends here.
   */
  async #stay(connection: CompatConnection): Promise<void> {
    const { id, hub, keyHash } = connection;
    const isTaken = !(await this.keys.refresh(connection));
    if (isTaken && connection.isOpen && connection.keyHash === keyHash) this.former(hub.appId, id, keyHash);
  }
}
