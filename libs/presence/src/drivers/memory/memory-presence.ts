import { PresenceUnavailable } from '../../failures.js';
import { ONLINE_USERS } from '../../online-users.js';
import type {
  JoinOutcome,
  LeaveCause,
  Member,
  Presence,
  PresenceChange,
  PresenceEvent,
  PresenceObserver,
  PresencePlace,
  PresenceView,
  Presentation,
} from '../../port.js';
import { joined, leaseEnded, left, updated, type Lease, type Transition } from '../../transitions.js';
import { PROCESS_CLOCK, type PresenceClock } from '../../clock.js';
import { held, holds, released, type HeldConnections } from '../../held-connections.js';
import { Leases } from './leases.js';
import { Places } from './places.js';
import { ABSENT, type Roster } from './roster.js';

/** Options of a `MemoryPresence`. */
export interface MemoryPresenceOptions {
  /** Called when the observer throws; the change is kept and not reported again. Must not throw. */
  readonly onObserverFault: (error: unknown, change: PresenceChange) => void;
  /** Default 100 000. */
  readonly maxLeases?: number;
  /** Default: the monotonic clock of the process, with timers that do not keep it alive. */
  readonly clock?: PresenceClock;
}

type UserOfPlace = PresencePlace & Pick<Member, 'userId'>;

const MAX_LEASES = 100_000;
const NO_MEMBERS: readonly Member[] = [];

/**
 * Driver `local`: the users of this process only. Decides synchronously; the promises only carry the result. Stores
 * nothing about empty places.
 */
export class MemoryPresence implements Presence {
  readonly #places = new Places();
  readonly #leases: Leases;
  readonly #clock: PresenceClock;
  readonly #maxLeases: number;
  readonly #onObserverFault: MemoryPresenceOptions['onObserverFault'];
  #observer: PresenceObserver | null = null;
  /**
   * Serial of the last change. Starts at the time in microseconds, as in the shared store, so that it increases
   * across restarts.
   */
  #serial = Date.now() * 1000;
  #closed = false;

  constructor({ onObserverFault, maxLeases = MAX_LEASES, clock = PROCESS_CLOCK }: MemoryPresenceOptions) {
    this.#onObserverFault = onObserverFault;
    this.#maxLeases = maxLeases;
    this.#clock = clock;
    this.#leases = new Leases(clock, (lease) => this.#endLease(lease));
  }

  observe(observer: PresenceObserver): void {
    if (this.#observer !== null) throw new Error('presence has its observer already');
    this.#observer = observer;
  }

  async join(presentation: Presentation, maxMembers: number): Promise<JoinOutcome> {
    this.#mustBeOpen();
    const { userId, socketId, channel } = presentation;
    const here = this.#places.find(presentation);
    const { state, connections } = here?.occupant(userId) ?? ABSENT;
    if (state === null && (here?.size ?? 0) >= maxMembers) return { kind: 'full' };

    const roster = here ?? this.#places.add(presentation);
    const transition = joined(state, presentation, holds(connections, socketId));
    this.#settle(roster, presentation, transition, held(connections, socketId));
    const members = channel === ONLINE_USERS ? NO_MEMBERS : roster.members();
    this.#tell(transition.change);
    return { kind: 'joined', members, serial: this.#serial };
  }

  async leave(
    connection: Omit<Presentation, 'userInfoText'>,
    leaseMs: number,
    cause: LeaveCause,
    lastWords?: string,
  ): Promise<void> {
    this.#mustBeOpen();
    const { userId, socketId } = connection;
    const roster = this.#places.find(connection);
    if (roster === undefined) return;
    const { state, connections } = roster.occupant(userId);
    const lease = this.#leaseFor(connection, leaseMs, cause);
    const transition = left(state, connection, holds(connections, socketId), cause, lease, lastWords);
    this.#settle(roster, connection, transition, released(connections, socketId));
    this.#tell(transition.change);
  }

  async update(presentation: Presentation): Promise<boolean> {
    this.#mustBeOpen();
    const { userId, socketId } = presentation;
    const roster = this.#places.find(presentation);
    if (roster === undefined) return false;
    const { state, connections } = roster.occupant(userId);
    const transition = updated(state, presentation, holds(connections, socketId));
    this.#settle(roster, presentation, transition, connections);
    this.#tell(transition.change);
    return transition.change !== null;
  }

  async members(place: PresencePlace): Promise<readonly Member[]> {
    this.#mustBeOpen();
    return this.#places.find(place)?.members() ?? NO_MEMBERS;
  }

  async look(place: PresencePlace, userIds?: readonly string[]): Promise<PresenceView> {
    this.#mustBeOpen();
    const roster = this.#places.find(place);
    const some = userIds?.flatMap((userId) => roster?.occupant(userId).state?.member ?? []);
    return { members: some ?? roster?.members() ?? NO_MEMBERS, serial: this.#serial };
  }

  async memberCounts(appId: string, channels: readonly string[]): Promise<readonly number[]> {
    this.#mustBeOpen();
    return channels.map((channel) => this.#places.find({ appId, channel })?.size ?? 0);
  }

  async present(place: PresencePlace, userIds: readonly string[]): Promise<ReadonlySet<string>> {
    this.#mustBeOpen();
    const roster = this.#places.find(place);
    return new Set(userIds.filter((userId) => roster?.has(userId) === true));
  }

  async health(): Promise<string | null> {
    return this.#closed ? 'presence is closed' : null;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#leases.clear();
    this.#places.clear();
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new PresenceUnavailable();
  }

  /** Null: none is wanted, or there are as many as there may be. */
  #leaseFor(user: UserOfPlace, leaseMs: number, cause: LeaveCause): Lease | null {
    if (!(leaseMs > 0) || this.#leases.size >= this.#maxLeases) return null;
    const { appId, channel, userId } = user;
    return { appId, channel, userId, cause, endsAtMs: this.#clock.now() + leaseMs };
  }

  #endLease(lease: Lease): void {
    const roster = this.#places.find(lease);
    if (roster === undefined) return;
    const transition = leaseEnded(roster.occupant(lease.userId).state, lease);
    this.#settle(roster, lease, transition, null);
    this.#tell(transition.change);
  }

  /** Applies the next state with its leases before any change is reported. */
  #settle(roster: Roster, user: UserOfPlace, { next }: Transition, connections: HeldConnections): void {
    const { state: before } = roster.occupant(user.userId);
    if (next === before) return;
    if (next === null) {
      roster.remove(user.userId);
      this.#places.removeIfEmpty(user);
    } else roster.put(user.userId, next, connections);
    if (before?.kind === 'leased') this.#leases.cancel(before.lease);
    if (next?.kind === 'leased') this.#leases.begin(next.lease);
  }

  #tell(event: PresenceEvent | null): void {
    if (event === null) return;
    const change = { ...event, serial: (this.#serial += 1) };
    try {
      this.#observer?.(change);
    } catch (error) {
      this.#onObserverFault(error, change);
    }
  }
}
