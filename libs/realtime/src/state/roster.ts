import type { PresenceView } from '@carillon/presence';
import {
  type ChannelCounted,
  type ChannelTurned,
  type PresenceMember,
  type StateFact,
  subjectOf,
} from '@carillon/protocol';
import { type ChainedChange, HeldChanges } from './held-changes.js';

type MemberFact = Exclude<StateFact, ChannelCounted | ChannelTurned>;

/** State of one user as delivered to subscribers of this process. */
interface Known {
  serial: number;
  /** The last delivered change of the member; a comparison with the store may have shown a later state since. */
  version: number;
  /** The member as last delivered; null: it left. */
  member: PresenceMember | null;
  /** When the user was first missing in the store without a reported departure; null: not missing. */
  missedAtMs: number | null;
}

/** Changes to deliver after a comparison with the store. */
export interface Differences {
  /** In the store, but not reported yet. */
  readonly added: readonly PresenceMember[];
  /** Missing in the store for so long that no report of the departure is expected. */
  readonly removed: readonly PresenceMember[];
  /** Missing in the store, but reported as present: the departure may be in flight, or the store may have lost them. */
  readonly missed: readonly PresenceMember[];
}

/** Retention time and limit of departed users, kept to recognize late events about them. */
const REMEMBERED_MS = 30_000;
const REMEMBERED = 4096;
/**
 * Time for which a user missing in the store is considered present: the departure may take that long to arrive, and
 * within that time all processes restore a store that lost its data.
 */
const MISSED_MS = 6000;

/**
 * The users of a channel as known to its subscribers in this process, or watched users as known to their watchers.
 * Events may arrive late, twice, out of order or not at all. The roster detects outdated ones by the serials of the
 * store, so that each arrival and departure is delivered once, and finds missed ones by comparison with the store.
 */
export class Roster {
  readonly #known = new Map<string, Known>();
  /** Departed users and the time of departure, oldest first. */
  readonly #gone = new Map<string, number>();
  readonly #held = new HeldChanges((userId) => this.#overdue(userId));
  #missed = 0;
  /** Receives changes whose predecessor did not arrive in time. */
  onOverdue: (fact: StateFact) => void = () => undefined;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Whether another comparison is needed. */
  get isInDoubt(): boolean {
    return this.#missed > 0;
  }

  has(userId: string): boolean {
    return (this.#known.get(userId)?.member ?? null) !== null;
  }

  /**
   * Accepts a change of a user from any process. Returns the facts to deliver, in order: none if the change is
   * outdated or waits for its predecessor.
   */
  hear(fact: MemberFact): readonly StateFact[] {
    const member = memberOf(fact);
    const userId = member?.userId ?? subjectOf(fact);
    const known = this.#known.get(userId);
    if (known !== undefined && isOld(fact, known)) return [];
    if (known !== undefined && isAhead(fact, known) && this.#held.add(userId, fact)) return [];
    // Earlier changes that are held are applied before a change that is not held.
    const before = this.#held.below(userId, fact.serial).flatMap((held) => this.#take(userId, held));
    return [...before, ...this.#take(userId, fact), ...this.#follow(userId)];
  }

  /** Applies held changes of the user that follow the last applied one. */
  #follow(userId: string): StateFact[] {
    const told: StateFact[] = [];
    for (;;) {
      const next = this.#held.next(userId, this.#known.get(userId)?.version ?? 0);
      if (next === null) return told;
      told.push(...this.#take(userId, next));
    }
  }

  #take(userId: string, fact: MemberFact): StateFact[] {
    const known = this.#known.get(userId);
    if (known !== undefined && isOld(fact, known)) return [];
    const member = memberOf(fact);
    const isPresent = known !== undefined && known.member !== null;
    if (fact.kind === 'member_updated' && isPresent && fact.serial <= known.serial) {
      // The store showed a later state already, but subscribers were not notified of this one.
      known.version = fact.serial;
      return [fact];
    }
    const isNews = this.#become(userId, known, member, fact.serial);
    if (fact.kind !== 'member_updated') return isNews ? [fact] : [];
    // A user not known as present has joined; a later event of the join will be outdated.
    return isNews
      ? [{ kind: 'member_added', channel: fact.channel, member: fact.member, serial: fact.serial }]
      : [fact];
  }

  /**
   * Compares with a view of the store, of all users or of those in `asked`. Added and removed members are to be
   * delivered; missed ones are still considered present.
   */
  compare({ members, serial }: PresenceView, asked?: Iterable<string>): Differences {
    const stored = new Set<string>();
    const added: PresenceMember[] = [];
    for (const member of members) {
      const { userId } = member;
      stored.add(userId);
      const known = this.#known.get(userId);
      if (known !== undefined && serial <= known.serial) continue;
      // Updates of a present member are yet to arrive.
      const version = known === undefined || known.member === null ? serial : known.version;
      if (this.#become(userId, known, member, serial, version)) added.push(member);
    }
    const removed: PresenceMember[] = [];
    const missed: PresenceMember[] = [];
    for (const userId of asked ?? this.#known.keys()) {
      const known = this.#known.get(userId);
      if (known === undefined || known.member === null) continue;
      if (stored.has(userId) || serial <= known.serial) continue;
      known.missedAtMs ??= this.#miss();
      const { member } = known;
      if (this.nowMs() - known.missedAtMs < MISSED_MS) missed.push(member);
      else if (this.#become(userId, known, null, serial)) removed.push(member);
    }
    return { added, removed, missed };
  }

  #overdue(userId: string): void {
    const changes = this.#held.below(userId, Infinity);
    for (const change of changes) for (const fact of this.#take(userId, change)) this.onOverdue(fact);
  }

  /** The user is no longer of interest in this process. */
  forget(userId: string): void {
    const known = this.#known.get(userId);
    this.#settle(known);
    this.#known.delete(userId);
    this.#gone.delete(userId);
  }

  /** Applies a state of the user; returns whether the user joined or left. */
  #become(
    userId: string,
    known: Known | undefined,
    member: PresenceMember | null,
    serial: number,
    version = serial,
  ): boolean {
    this.#settle(known);
    this.#gone.delete(userId);
    if (member === null) this.#remember(userId);
    if (known === undefined) {
      this.#known.set(userId, { serial, version: serial, member, missedAtMs: null });
      return member !== null;
    }
    const isNews = (known.member === null) !== (member === null);
    Object.assign(known, { serial, version, member, missedAtMs: null });
    return isNews;
  }

  /** The user needs no further comparison. */
  #settle(known: Known | undefined): void {
    if (known === undefined || known.missedAtMs === null) return;
    known.missedAtMs = null;
    this.#missed -= 1;
  }

  #miss(): number {
    this.#missed += 1;
    return this.nowMs();
  }

  #remember(userId: string): void {
    const nowMs = this.nowMs();
    for (const [gone, atMs] of this.#gone) {
      if (this.#gone.size < REMEMBERED && nowMs - atMs < REMEMBERED_MS) break;
      this.#gone.delete(gone);
      this.#known.delete(gone);
    }
    this.#gone.set(userId, nowMs);
  }
}

/** Whether this change or a later one was delivered already. */
function isOld(fact: MemberFact, { serial, version, member }: Known): boolean {
  const isChained = fact.kind === 'member_updated' && fact.after !== undefined && member !== null;
  return fact.serial <= (isChained ? version : serial);
}

/** Whether its predecessor is yet to arrive. */
const isAhead = (fact: MemberFact, { version, member }: Known): fact is ChainedChange =>
  (fact.kind === 'member_updated' || fact.kind === 'member_removed') &&
  member !== null &&
  fact.after !== undefined &&
  fact.after > version;

/** Null: the member left. */
function memberOf(fact: MemberFact): PresenceMember | null {
  if (fact.kind === 'member_removed') return null;
  if (fact.kind !== 'user_seen') return fact.member;
  return fact.isOnline ? { userId: fact.userId, userInfoText: '{}' } : null;
}
