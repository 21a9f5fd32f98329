/** A set of users: of a presence channel, or the signed-in users of an app (see `ONLINE_USERS`). */
export interface PresencePlace {
  readonly appId: string;
  readonly channel: string;
}

/** A user of a place as visible to others. */
export interface Member {
  readonly userId: string;
  /** JSON text, sent on as it is. */
  readonly userInfoText: string;
  /**
   * Connection by which the user joined: constant while the user is present, whichever connections follow. Changes
   * only after a store lost it.
   */
  readonly socketId: string;
}

/** A connection of a user in a place, not necessarily the first. */
export interface Presentation extends PresencePlace, Member {}

/**
 * Result of a join. `members` are in order of first join, including the joiner; empty for `ONLINE_USERS`, whose
 * joiners do not need them.
 */
export type JoinOutcome =
  | {
      readonly kind: 'joined';
      readonly members: readonly Member[];
      /** Changes with a serial up to this one are in `members` already. */
      readonly serial: number;
    }
  /** The place has the maximum number of other users. Nothing changed. */
  | { readonly kind: 'full' };

/** Members of a place, in order of first join. */
export interface PresenceView {
  readonly members: readonly Member[];
  /** Changes with a serial up to this one are in `members` already. */
  readonly serial: number;
}

/** Why a user's last connection went; `orphan_cleanup`: its process died. */
export type LeaveCause = 'left' | 'connection_lost' | 'forced_disconnect' | 'orphan_cleanup';

/**
 * The claim of a change on its notification beyond this process: kept in the shared store until it is settled, and taken
 * over by the node that clears up after this one.
 */
export interface Owed {
  /** The notification was handed over, or is not needed. Idempotent, does not wait. */
  settle(): void;
}

/** Selects the changes recorded until their notification is settled, and consumes those of dead nodes. */
export interface Owing {
  /** Whether changes of the channel's members are owed; null: changes of the occupancy of all channels of the app. */
  isOwed(appId: string, channel: string | null): boolean;
  /** May receive a change that was notified of already. Must not throw. */
  recovered(change: OwedChange): void;
}

/** A user or the subscribers of a channel came or went; the notification is pending. */
export interface OwedChange extends PresencePlace {
  readonly kind: 'added' | 'removed';
  /** Null: the change is of the subscribers of the channel. */
  readonly userId: string | null;
  readonly serial: number;
  readonly owed: Owed;
}

/** A user joined or left a place, or changed. */
export type PresenceEvent = PresencePlace &
  (
    | {
        readonly kind: 'added';
        readonly member: Member;
        readonly socketId: string;
        /** The store had lost the user; this process reported it before. Absent: it did not. */
        readonly isAgain?: boolean;
      }
    | {
        readonly kind: 'removed';
        readonly userId: string;
        /** Last user info as JSON text. Null: unknown. */
        readonly userInfoText: string | null;
        /** Connection by which the user joined. Empty: unknown. */
        readonly cameBy: string;
        readonly cause: LeaveCause;
        /** Dead node that was removed. Absent: the connection left regularly. */
        readonly deadNodeId?: string;
        /** Serial of the last reported change of the user. Absent: unknown. */
        readonly after?: number;
      }
    | {
        readonly kind: 'updated';
        readonly member: Member;
        readonly socketId: string;
        /** Serial of the previous reported change of the user. Absent: unknown. */
        readonly after?: number;
      }
  );

/**
 * Each change reaches the observer of exactly one process. Changes of one user reported by two processes may arrive
 * in any order: the highest serial is current.
 */
export type PresenceChange = PresenceEvent & {
  readonly serial: number;
  /** Absent: nothing is kept of the change. */
  readonly owed?: Owed;
};

/** Receives changes, synchronously and in order per (place, user); must not throw. */
export type PresenceObserver = (change: PresenceChange) => void;

/**
 * Members of places over all processes of the installation. Members are users, not sockets: a user is `added` with
 * its first connection and `removed` with its last. Decisions are serialized per (place, user), so the changes of one
 * user alternate between added and removed under any interleaving. Operations reject with `PresenceUnavailable` if
 * the store is unreachable, and have then no effect that a retry would not correct.
 * In a cluster, connections depend on the lease of their process. When it expires, another process removes the users
 * without other connections, with cause `orphan_cleanup`, and ends the leases that the dead process had started at
 * their due time. A process that was declared dead, or finds the store empty, writes its users again. While the store
 * is unavailable all operations are refused; a `leave` is completed when it recovers, and a refused join that had
 * happened is undone. Until all processes have reported their users again, a leaving user stays: another process may
 * have the user without the store's knowledge. A process that dies between a change and its notification loses the
 * notification, unless it was reported for a dead node: then the next process repeats it. Pending changes (`Owing`)
 * survive.
 */
export interface Presence {
  /**
   * Registers the observer of changes caused by this process; once per process. `mended` is called (and must not
   * throw) some time after an outage of the store, when every process has written its users again: changes in the
   * meantime may be unreported, so caches of members must be refreshed. `owing`: absent, no change is recorded as
   * pending; a single process records none.
   */
  observe(observer: PresenceObserver, mended?: () => void, owing?: Owing): void;
  /**
   * Joins a connection. A repeated join of the same socket changes nothing, not even its user info, and returns the
   * members again. Otherwise the user's info is replaced. During a lease the join cancels it without a notification.
   * `maxMembers` counts distinct users (leased ones too) and never excludes a present user; Infinity: no limit.
   */
  join(presentation: Presentation, maxMembers: number): Promise<JoinOutcome>;
  /**
   * A connection goes; unknown ones are ignored. When it was the user's last: with `leaseMs` 0 the user is removed at
   * once, else when that time has passed without a join. With the bound on leases reached, removal is at once.
   * `lastWords`, JSON text, are the info of a user whose last connection it was from then on; of another they are
   * nothing. Absent: the info stays.
   */
  leave(
    connection: Omit<Presentation, 'userInfoText'>,
    leaseMs: number,
    cause: LeaveCause,
    lastWords?: string,
  ): Promise<void>;
  /** Replaces the user's info. Resolves with false if the connection is unknown. */
  update(presentation: Presentation): Promise<boolean>;
  /** In order of first join, leased users too. */
  members(place: PresencePlace): Promise<readonly Member[]>;
  /** The same, or only those of some users, and as of when. */
  look(place: PresencePlace, userIds?: readonly string[]): Promise<PresenceView>;
  /** Number of distinct users per channel, in request order; 0 for empty ones. */
  memberCounts(appId: string, channels: readonly string[]): Promise<readonly number[]>;
  /** Returns the present ones of these users. */
  present(place: PresencePlace, userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Reason why the store is unhealthy; null if healthy. */
  health(): Promise<string | null>;
  /**
   * Closes presence. Running leases are left to other processes; without any, they end without a notification. Later
   * operations reject with `PresenceUnavailable`. Idempotent.
   */
  close(): Promise<void>;
}
