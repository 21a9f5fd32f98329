import { held, holds, released, type HeldConnections } from '../../held-connections.js';
import type { PresenceClock } from '../../clock.js';
import { END_OF_LEASE, holding, type Operation, type Result } from '../../cluster/operation.js';
import type { Intent, Shard, ShardOwner } from '../../cluster/shard.js';
import type { LeaveCause, PresenceChange, PresencePlace } from '../../port.js';

/** A user with connections to this process. */
interface LocalUser {
  connections: HeldConnections;
  count: number;
  /** Set by this process last. */
  userInfoText: string;
}

/** Ends with a call, or when it is cancelled. */
interface Running {
  readonly cause: LeaveCause;
  readonly cancel: () => void;
}

/** What all places of a process share. */
export interface PlaceSurroundings {
  readonly clock: PresenceClock;
  readonly tell: (change: PresenceChange) => void;
  /** Within this time every process says again whom it has to a store that had lost them. */
  readonly saidAgainMs: number;
  /** Leases that run on this process, over all places. */
  readonly leases: { count: number; readonly most: number };
}

/** The users of one place who have connections to this process, and the leases it has begun there. */
export class Place implements ShardOwner {
  readonly #users = new Map<string, LocalUser>();
  readonly #leases = new Map<string, Running>();
  /** Users who left here, whom the store had lost: whether others have them is not known yet. */
  readonly #doubtful = new Map<string, Running>();

  constructor(
    readonly place: PresencePlace,
    private readonly around: PlaceSurroundings,
    /** Where its intents go; asked anew each time. */
    private readonly shard: () => Shard,
  ) {}

  get isEmpty(): boolean {
    return this.#users.size === 0 && this.#leases.size === 0 && this.#doubtful.size === 0;
  }

  held(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const userId of this.#leases.keys()) counts.set(userId, 0);
    for (const [userId, { count }] of this.#users) counts.set(userId, count);
    return counts;
  }

  correction(userId: string, stored: number | undefined): Intent | null {
    const isLease = stored === 0 || this.#leases.has(userId);
    return this.#users.has(userId) || !isLease ? this.#inLine(userId) : this.#endOfLease(userId);
  }

  holds(userId: string, socketId: string): boolean {
    return holds(this.#users.get(userId)?.connections ?? null, socketId);
  }

  /** What a connection makes of what this process holds; a known one changes nothing, not even the info. */
  joining(userId: string, socketId: string, userInfoText: string, maxMembers: number): Operation {
    const count = this.#count(userId);
    if (this.holds(userId, socketId)) return this.#holding(userId, count);
    return holding(userId, count + 1, { payload: userInfoText, replaces: true, mostSubjects: maxMembers });
  }

  joined(userId: string, socketId: string, userInfoText: string, result: Result): void {
    if (!this.holds(userId, socketId)) {
      const connections = held(this.#users.get(userId)?.connections ?? null, socketId);
      const count = this.#count(userId) + 1;
      this.#users.set(userId, { connections, count, userInfoText });
      this.#endLease(userId);
      this.#endDoubt(userId);
    }
    this.#tellIfAdded(userId, result, socketId);
  }

  leaving(userId: string, leaseMs: number, cause: LeaveCause): Operation {
    const { leases } = this.around;
    const isLeased = leaseMs > 0 && leases.count < leases.most;
    return this.#holding(userId, this.#count(userId) - 1, { leaseMs: isLeased ? leaseMs : 0, cause });
  }

  left(userId: string, socketId: string, leaseMs: number, cause: LeaveCause, result: Result): void {
    const user = this.#users.get(userId);
    if (user === undefined || !this.holds(userId, socketId)) return;
    user.connections = released(user.connections, socketId);
    user.count -= 1;
    this.#tellIfAdded(userId, result);
    if (user.count > 0) return;
    this.#users.delete(userId);
    if (result.outcome === 'leased') this.#beginLease(userId, leaseMs, cause);
    else if (result.outcome === 'removed') this.#tellRemoved(userId, cause, result.serial);
    else if (result.total === 0) this.#doubt(userId, cause);
  }

  updating(userId: string, userInfoText: string): Operation {
    return this.#holding(userId, this.#count(userId), { payload: userInfoText, replaces: true });
  }

  updated(userId: string, socketId: string, userInfoText: string, result: Result): void {
    const user = this.#users.get(userId);
    if (user !== undefined) user.userInfoText = userInfoText;
    this.#tellIfAdded(userId, result, socketId);
    const { appId, channel } = this.place;
    const member = { userId, userInfoText };
    this.around.tell({ kind: 'updated', appId, channel, member, socketId, serial: result.serial });
  }

  /** Leases of a process that has gone end on others. */
  forgetLeases(): void {
    for (const userId of this.#leases.keys()) this.#endLease(userId);
    for (const userId of this.#doubtful.keys()) this.#endDoubt(userId);
  }

  #count(userId: string): number {
    return this.#users.get(userId)?.count ?? 0;
  }

  #beginLease(userId: string, leaseMs: number, cause: LeaveCause): void {
    this.#endLease(userId);
    const { clock, leases } = this.around;
    leases.count += 1;
    const cancel = clock.after(Math.min(Math.ceil(leaseMs), LONGEST_TIMER_MS), () =>
      this.shard().add(this.#endOfLease(userId)),
    );
    this.#leases.set(userId, { cause, cancel });
  }

  #endLease(userId: string): void {
    const lease = this.#leases.get(userId);
    if (lease === undefined) return;
    lease.cancel();
    this.#leases.delete(userId);
    this.around.leases.count -= 1;
  }

  /** Nobody has the user, as far as the store knows, which had lost it. Others may yet say that they do. */
  #doubt(userId: string, cause: LeaveCause): void {
    this.#endDoubt(userId);
    const { clock, saidAgainMs } = this.around;
    const cancel = clock.after(saidAgainMs, () => this.shard().add(this.#endOfDoubt(userId)));
    this.#doubtful.set(userId, { cause, cancel });
  }

  #endDoubt(userId: string): void {
    this.#doubtful.get(userId)?.cancel();
    this.#doubtful.delete(userId);
  }

  #endOfDoubt(userId: string): Intent {
    return lasting(
      userId,
      () => (this.#doubtful.has(userId) ? holding(userId, END_OF_LEASE) : null),
      ({ total, serial }) => {
        const { cause } = this.#doubtful.get(userId) ?? {};
        this.#doubtful.delete(userId);
        if (cause !== undefined && total === 0) this.#tellRemoved(userId, cause, serial);
      },
    );
  }

  #endOfLease(userId: string): Intent {
    const cause = (): LeaveCause => this.#leases.get(userId)?.cause ?? 'orphan_cleanup';
    return lasting(
      userId,
      () => (this.#users.has(userId) ? null : holding(userId, END_OF_LEASE)),
      ({ outcome, total, serial }) => {
        const because = cause();
        if (outcome === 'early') {
          this.#beginLease(userId, total, because);
          return;
        }
        this.#endLease(userId);
        if (outcome === 'removed') this.#tellRemoved(userId, because, serial);
      },
    );
  }

  /** Says again how much this process holds, whatever the store believes. */
  #inLine(userId: string): Intent {
    return lasting(
      userId,
      () => this.#holding(userId, this.#count(userId)),
      (result) => {
        this.#tellIfAdded(userId, result);
        if (result.outcome === 'removed') this.#tellRemoved(userId, 'orphan_cleanup', result.serial);
      },
    );
  }

  /** With what this process knows of the user, in case the store has lost it. */
  #holding(userId: string, count: number, rest: Partial<Operation> = {}): Operation {
    return holding(userId, count, { payload: this.#users.get(userId)?.userInfoText ?? '', ...rest });
  }

  /** A user is new to the store with the first connection, or when the store had lost it. */
  #tellIfAdded(userId: string, { outcome, serial }: Result, by?: string): void {
    const user = this.#users.get(userId);
    if (outcome !== 'added' || user === undefined) return;
    const { connections, userInfoText } = user;
    const [first = ''] = connections instanceof Set ? connections : [connections ?? ''];
    const { appId, channel } = this.place;
    const member = { userId, userInfoText };
    this.around.tell({ kind: 'added', appId, channel, member, socketId: by ?? first, serial });
  }

  #tellRemoved(userId: string, cause: LeaveCause, serial: number): void {
    const { appId, channel } = this.place;
    this.around.tell({ kind: 'removed', appId, channel, userId, cause, serial });
  }
}

/** Timers of the platform end at once beyond this; a lease that is not over then begins another one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const lasting = (subject: string, prepare: Intent['prepare'], done: Intent['done']): Intent => ({
  subject,
  isLasting: true,
  wantsSubjects: false,
  prepare,
  done,
  failed: () => undefined,
});
