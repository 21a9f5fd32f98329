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

/** What subscribers of this process have been told of one user. */
interface Known {
  serial: number;
  /** The last change of the member that they were told; a look at the store may have shown a later state since. */
  version: number;
  /** What they were told of it last; null: that it is gone. */
  member: PresenceMember | null;
  /** When the user was first missed in the store without anybody having told of it; null: not missed. */
  missedAtMs: number | null;
}

/** What there is to tell after a look at the store. */
export interface Differences {
  /** In the store, and nobody has told of them. */
  readonly added: readonly PresenceMember[];
  /** Not in the store for so long that nobody will tell of it any more. */
  readonly removed: readonly PresenceMember[];
  /** Not in the store, but told to be there: word of it may be on its way, or the store may have lost them. */
  readonly missed: readonly PresenceMember[];
}

/** Users who went are remembered so long, and so many of them, to know late word of them from new. */
const REMEMBERED_MS = 30_000;
const REMEMBERED = 4096;
/**
 * How long a user whom the store does not know is believed to be there: word of the going may take that long, and a
 * store that came back empty is told again by everybody within that time.
 */
const MISSED_MS = 6000;

/**
 * What subscribers in this process believe about the users of a channel, or watchers about whom they watch. Word of changes may come late, twice, in
 * any order or not at all; the roster knows by the serials of the store what is news, so that everybody here is told
 * of each coming and going once, and finds out by looks at the store what nobody told.
 */
export class Roster {
  readonly #known = new Map<string, Known>();
  /** Users who went, longest ago first, and when. */
  readonly #gone = new Map<string, number>();
  readonly #held = new HeldChanges((userId) => this.#overdue(userId));
  #missed = 0;
  /** Receives changes whose predecessor did not arrive in time. */
  onOverdue: (fact: StateFact) => void = () => undefined;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Whether another look is needed to know who is there. */
  get isInDoubt(): boolean {
    return this.#missed > 0;
  }

  has(userId: string): boolean {
    return (this.#known.get(userId)?.member ?? null) !== null;
  }

  /**
   * Takes a change of a user from this process or another one. Returns what there is to tell, in order: nothing if the
   * change is no news or its predecessor has yet to arrive.
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
    // Who is not known to be there has come, and its coming will not be told any more: it would be old.
    return isNews
      ? [{ kind: 'member_added', channel: fact.channel, member: fact.member, serial: fact.serial }]
      : [fact];
  }

  /**
   * Compares with what the store says, of everybody or of those asked about. What is said to have been added or removed
   * is to be told; who is missed is still believed to be there.
   */
  compare({ members, serial }: PresenceView, asked?: Iterable<string>): Differences {
    const stored = new Set<string>();
    const added: PresenceMember[] = [];
    for (const member of members) {
      const { userId } = member;
      stored.add(userId);
      const known = this.#known.get(userId);
      if (known !== undefined && serial <= known.serial) continue;
      // Updates of a member who is known to be there are yet to arrive.
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

  /** Nobody here wants to know of the user any more. */
  forget(userId: string): void {
    const known = this.#known.get(userId);
    this.#settle(known);
    this.#known.delete(userId);
    this.#gone.delete(userId);
  }

  /** Whether it has come or gone. */
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

  /** Nobody has to look for the user any more. */
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

/** Whether it was told already, or something later was. */
function isOld(fact: MemberFact, { serial, version, member }: Known): boolean {
  const isChained = fact.kind === 'member_updated' && fact.after !== undefined && member !== null;
  return fact.serial <= (isChained ? version : serial);
}

/** Whether a change before it has yet to arrive. */
const isAhead = (fact: MemberFact, { version, member }: Known): fact is ChainedChange =>
  (fact.kind === 'member_updated' || fact.kind === 'member_removed') &&
  member !== null &&
  fact.after !== undefined &&
  fact.after > version;

/** Null: it is gone. */
function memberOf(fact: MemberFact): PresenceMember | null {
  if (fact.kind === 'member_removed') return null;
  if (fact.kind !== 'user_seen') return fact.member;
  return fact.isOnline ? { userId: fact.userId, userInfoText: '{}' } : null;
}
