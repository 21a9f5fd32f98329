/** A place where users are: a presence channel, or the signed-in users of an app (see `ONLINE_USERS`). */
export interface PresencePlace {
  readonly appId: string;
  readonly channel: string;
}

/** One user of a place, as the others see it. */
export interface Member {
  readonly userId: string;
  /** JSON text, sent on as it is. */
  readonly userInfoText: string;
  /**
   * The connection the user came by: the same as long as the user is there, whichever come and go since. Another one only
   * after a store had lost it.
   */
  readonly socketId: string;
}

/** One connection of a user in a place, whichever the user came by. */
export interface Presentation extends PresencePlace, Member {}

/**
 * What became of a join. `members` are in order of first join, the joiner included; for `ONLINE_USERS`, of which no
 * joiner is told, they are left out (empty).
 */
export type JoinOutcome =
  | {
      readonly kind: 'joined';
      readonly members: readonly Member[];
      /** Changes with a serial up to this one are in `members` already. */
      readonly serial: number;
    }
  /** As many other users are there as the limit allows. Nothing has changed. */
  | { readonly kind: 'full' };

/** Who is in a place, in order of first join. */
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

/** Which changes are kept until their notification is settled, and the consumer of those a dead node left. */
export interface Owing {
  /** Whether changes of the channel's members are owed; null: changes of the occupancy of all channels of the app. */
  isOwed(appId: string, channel: string | null): boolean;
  /** May receive a change that was notified of already. Must not throw. */
  recovered(change: OwedChange): void;
}

/** A user of a place, or the subscribers of a channel, came or went; the notification is owed. */
export interface OwedChange extends PresencePlace {
  readonly kind: 'added' | 'removed';
  /** Null: the change is of the subscribers of the channel. */
  readonly userId: string | null;
  readonly serial: number;
  readonly owed: Owed;
}

/** A user came to a place, went, or changed. */
export type PresenceEvent = PresencePlace &
  (
    | {
        readonly kind: 'added';
        readonly member: Member;
        readonly socketId: string;
        /** For a store that had lost it: this process had said so before. Absent: it had not. */
        readonly isAgain?: boolean;
      }
    | {
        readonly kind: 'removed';
        readonly userId: string;
        /** JSON text of what the user said last. Null: nobody knows any more. */
        readonly userInfoText: string | null;
        /** The connection the user had come by. Empty: nobody knows any more. */
        readonly cameBy: string;
        readonly cause: LeaveCause;
        /** The node that was cleared up after. Absent: whoever left did so alive. */
        readonly deadNodeId?: string;
        /** The serial of the last change of the user that was told. Absent: unknown. */
        readonly after?: number;
      }
    | {
        readonly kind: 'updated';
        readonly member: Member;
        readonly socketId: string;
        /** The serial of the change of the user that was told before this one. Absent: unknown. */
        readonly after?: number;
      }
  );

/**
 * Each reaches the observer of exactly one process. Where processes tell each other of changes, what two of them say of
 * one user may arrive in either order: the change with the highest serial is how it is.
 */
export type PresenceChange = PresenceEvent & {
  readonly serial: number;
  /** Absent: nothing is kept of the change. */
  readonly owed?: Owed;
};

/** Told of changes, synchronously and in order per (place, user); must not throw. */
export type PresenceObserver = (change: PresenceChange) => void;

/**
 * Who is where, over all processes of the installation. Members are users, not sockets: a user is `added` with its
 * first connection and `removed` with its last. Decisions are serialized per (place, user), so the changes of one
 * user alternate between added and removed, whatever interleaves. Every operation rejects with `PresenceUnavailable`
 * when the store cannot be reached, and has then changed nothing that a retry would not mend.
 *
 * In a cluster, connections hang on the lease of their process. When it ends, whoever lives on removes the users nobody
 * else has a connection of, because of `orphan_cleanup`, and ends the leases the dead process had begun when their time
 * is over. A process that was taken for dead, or that finds the store empty, says again whom it has. While the store
 * is away everything is refused; a `leave` is made up for when it is back, and so is a join that had happened
 * although it was refused: it is taken back. Until all processes have said again whom they have, a user who leaves one
 * of them stays: another may have the user too, of which the store knows nothing. A process that dies between a change and its telling takes that telling
 * with it, unless it was telling for a dead one: then the next process tells it. What is owed (`Owing`) survives.
 */
export interface Presence {
  /**
   * Names who is told of the changes this process causes; once per process. `mended` is called, and must not throw, some
   * time after the store was away, when it has been told by every process again whom it has: changes of the time between
   * may not have been told, so that whoever remembers who is there has to look. `owing`: absent, nothing is owed; a
   * process that is alone keeps nothing.
   */
  observe(observer: PresenceObserver, mended?: () => void, owing?: Owing): void;
  /**
   * A connection comes. A repeated join of the same socket changes nothing, also not its user info, and answers the
   * members again. Else the user's info becomes this one. During a lease the join cancels it, and nothing is told.
   * `maxMembers` counts distinct users (leased ones too) and never keeps out a user who is there; Infinity: no limit.
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
  /** Replaces the user's info for everybody. False: this connection is not there. */
  update(presentation: Presentation): Promise<boolean>;
  /** In order of first join, leased users too. */
  members(place: PresencePlace): Promise<readonly Member[]>;
  /** The same, or only those of some users, and as of when. */
  look(place: PresencePlace, userIds?: readonly string[]): Promise<PresenceView>;
  /** Distinct users per channel, in the order asked; 0 where nobody is. */
  memberCounts(appId: string, channels: readonly string[]): Promise<readonly number[]>;
  /** Which of these users are there. */
  present(place: PresencePlace, userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Null when healthy, else what is wrong. */
  health(): Promise<string | null>;
  /**
   * Idempotent. Outstanding leases are left to other processes; where there are none, they are given up without a change
   * being told. Afterwards every operation rejects with `PresenceUnavailable`.
   */
  close(): Promise<void>;
}
