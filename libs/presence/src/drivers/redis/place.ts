import { held, holds, released, type HeldConnections } from '../../held-connections.js';
import { holding, type Operation, type Result } from '../../cluster/operation.js';
import { type Intent, lasting, type Shard, type ShardOwner } from '../../cluster/shard.js';
import { type LeaseTime, type Remembered, SubjectLeases } from '../../cluster/subject-leases.js';
import type { LeaveCause, PresenceChange, PresencePlace } from '../../port.js';

/** A user with connections to this process. */
interface LocalUser {
  connections: HeldConnections;
  count: number;
  /** Set by this process last. */
  userInfoText: string;
}

/** Options of a leave. */
export interface Parting {
  /** Keeps a user for so long whose last one it was; 0: not at all. */
  readonly leaseMs: number;
  readonly cause: LeaveCause;
  /** Takes the place of the info of a user whose last one it was. Absent: the info stays. */
  readonly lastWords?: string | undefined;
}

/** Parts shared by all places of a process. */
export interface PlaceSurroundings {
  readonly time: LeaseTime;
  readonly tell: (change: PresenceChange) => void;
  /** Number of running leases of this process, over all places. */
  readonly leases: { count: number; readonly most: number };
}

/** Users of one place with connections to this process, and the leases it started there. */
export class Place implements ShardOwner {
  readonly #users = new Map<string, LocalUser>();
  readonly #leases: SubjectLeases;

  constructor(
    readonly place: PresencePlace,
    private readonly around: PlaceSurroundings,
    /** Shard of its intents, looked up each time. */
    shard: () => Shard,
  ) {
    this.#leases = new SubjectLeases({
      time: around.time,
      shard,
      isHeld: (userId) => this.#users.has(userId),
      removed: (userId, cause, result) => this.#tellRemoved(userId, cause, result),
      count: around.leases,
    });
  }

  get isEmpty(): boolean {
    return this.#users.size === 0 && this.#leases.size === 0;
  }

  held(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const userId of this.#leases.subjects) counts.set(userId, 0);
    for (const [userId, { count }] of this.#users) counts.set(userId, count);
    return counts;
  }

  correction(userId: string, stored: number | undefined): Intent | null {
    const isToEnd = !this.#users.has(userId) && this.#leases.isToEnd(userId, stored);
    return isToEnd ? this.#leases.ending(userId) : this.#inLine(userId);
  }

  holds(userId: string, socketId: string): boolean {
    return holds(this.#users.get(userId)?.connections ?? null, socketId);
  }

  /** Returns the operation of a joining connection; a known one changes nothing, not even the user info. */
  joining(userId: string, socketId: string, userInfoText: string, maxMembers: number): Operation {
    const count = this.#count(userId);
    if (this.holds(userId, socketId)) return this.#holding(userId, count);
    return this.#holding(userId, count + 1, {
      payload: userInfoText,
      replaces: true,
      mostSubjects: maxMembers,
      cameBy: this.#first(userId) ?? socketId,
    });
  }

  joined(userId: string, socketId: string, userInfoText: string, result: Result): void {
    if (!this.holds(userId, socketId)) {
      const connections = held(this.#users.get(userId)?.connections ?? null, socketId);
      const count = this.#count(userId) + 1;
      this.#users.set(userId, { connections, count, userInfoText });
      this.#leases.end(userId);
    }
    this.#tellIfAdded(userId, result, { by: socketId });
  }

  leaving(userId: string, { leaseMs, cause, lastWords }: Parting): Operation {
    const { leases } = this.around;
    const keeping = this.#leases.keeping(userId, leases.count < leases.most ? leaseMs : 0);
    const count = this.#count(userId) - 1;
    const words = lastWords === undefined || count > 0 ? {} : { payload: lastWords, replaces: true };
    return this.#holding(userId, count, { ...keeping, cause, ...words });
  }

  left(userId: string, socketId: string, { cause, lastWords }: Parting, result: Result): void {
    const user = this.#users.get(userId);
    if (user === undefined || !this.holds(userId, socketId)) return;
    user.connections = released(user.connections, socketId);
    user.count -= 1;
    this.#tellIfAdded(userId, result, { isAgain: true });
    if (user.count > 0) return;
    this.#users.delete(userId);
    this.#gone(userId, cause, result, {
      payload: lastWords ?? user.userInfoText,
      cameBy: result.cameBy,
    });
  }

  updating(userId: string, userInfoText: string): Operation {
    return this.#holding(userId, this.#count(userId), { payload: userInfoText, replaces: true, tells: true });
  }

  updated(userId: string, socketId: string, userInfoText: string, result: Result): void {
    const user = this.#users.get(userId);
    if (user !== undefined) user.userInfoText = userInfoText;
    this.#tellIfAdded(userId, result, { by: socketId, isAgain: true });
    const { appId, channel } = this.place;
    const member = { userId, userInfoText, socketId: result.cameBy };
    const { serial, previous } = result;
    const after = previous === null ? {} : { after: previous };
    this.around.tell({ kind: 'updated', appId, channel, member, socketId, serial, ...after });
  }

  #count(userId: string): number {
    return this.#users.get(userId)?.count ?? 0;
  }

  /** Writes the holdings of this process again, whatever is stored. */
  #inLine(userId: string): Intent {
    return lasting(
      userId,
      () => {
        const cause = this.#leases.cause(userId);
        return this.#holding(userId, this.#count(userId), { ...this.#leases.keeping(userId), cause });
      },
      (result) => {
        this.#tellIfAdded(userId, result, { isAgain: true });
        const known = this.#leases.remembered(userId);
        if (!this.#users.has(userId)) this.#gone(userId, this.#leases.cause(userId), result, known);
      },
    );
  }

  /** Reports that this process no longer has the user. */
  #gone(userId: string, cause: LeaveCause, result: Result, known: Remembered | null): void {
    const { outcome, leaseMs } = result;
    this.#leases.end(userId);
    if (outcome === 'leased') this.#leases.begin(userId, leaseMs, cause, known);
    else if (outcome === 'removed') this.#tellRemoved(userId, cause, result);
  }

  /** Includes the user data known here, in case the store lost it. */
  #holding(userId: string, count: number, rest: Partial<Operation> = {}): Operation {
    // For a user kept only by a lease: the data at its start.
    const known = this.#leases.remembered(userId);
    const payload = this.#users.get(userId)?.userInfoText ?? known?.payload ?? '{}';
    return holding(userId, count, { payload, cameBy: this.#first(userId) ?? known?.cameBy ?? '', ...rest });
  }

  /** First connection of the user to this process; null: none. */
  #first(userId: string): string | null {
    const connections = this.#users.get(userId)?.connections ?? null;
    return connections instanceof Set ? ([...connections][0] ?? null) : connections;
  }

  /** A user is new to the store with the first connection, or when the store had lost it. */
  #tellIfAdded(
    userId: string,
    { outcome, cameBy, serial, owed }: Result,
    { by, isAgain = false }: { readonly by?: string; readonly isAgain?: boolean },
  ): void {
    const user = this.#users.get(userId);
    if (outcome !== 'added' || user === undefined) return;
    const { userInfoText } = user;
    const first = this.#first(userId) ?? '';
    const { appId, channel } = this.place;
    const member = { userId, userInfoText, socketId: cameBy };
    const again = { ...(isAgain && { isAgain }), ...(owed && { owed }) };
    this.around.tell({ kind: 'added', appId, channel, member, socketId: by ?? first, serial, ...again });
  }

  #tellRemoved(userId: string, cause: LeaveCause, result: Result): void {
    this.around.tell(removal(this.place, { ...result, userId, cause }));
  }
}

/** Change that reports a removed user. */
export const removal = (
  { appId, channel }: { readonly appId: string; readonly channel: string },
  {
    userId,
    cause,
    payload: userInfoText,
    cameBy,
    serial,
    owed,
    previous = null,
  }: Pick<Result, 'cameBy' | 'owed' | 'payload' | 'serial'> & {
    readonly previous?: number | null;
  } & { readonly userId: string; readonly cause: LeaveCause },
) =>
  ({
    kind: 'removed',
    appId,
    channel,
    userId,
    userInfoText,
    cameBy,
    cause,
    serial,
    ...(previous !== null && { after: previous }),
    ...(owed && { owed }),
  }) as const;
