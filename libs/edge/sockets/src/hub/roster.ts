import type { Standing } from '@carillon/fabric';
import type { Member, PresenceView } from '@carillon/presence';

/** What subscribers of this process have been told of one user. */
interface Known {
  serial: number;
  isPresent: boolean;
  /** The frame, or the member, by which they were told; null: of nothing, or that the user is gone. */
  shown: Shown | null;
  /** When the user was first missed in the store without anybody having told of it; null: not missed. */
  missedAtMs: number | null;
}

/** A frame as it was told, or what to make one of. */
export type Shown = string | Member;

/** What there is to tell after a look at the store. */
export interface Differences {
  /** In the store, and nobody has told of them. */
  readonly added: readonly Member[];
  /** Not in the store for so long that nobody will tell of it any more. */
  readonly removed: readonly string[];
  /** Not in the store, but told to be there: word of it may be on its way, or the store may have lost them. */
  readonly missed: readonly Shown[];
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
 * What the subscribers of a place in this process believe about its users. Word of changes may come late, twice, in
 * any order or not at all; the roster knows by the serials of the store what is news, so that everybody here is told
 * of each coming and going once, and finds out by looks at the store what nobody told.
 */
export class Roster {
  readonly #known = new Map<string, Known>();
  /** Users who went, longest ago first, and when. */
  readonly #gone = new Map<string, number>();
  #missed = 0;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Whether another look is needed to know who is there. */
  get isInDoubt(): boolean {
    return this.#missed > 0;
  }

  has(userId: string): boolean {
    return this.#known.get(userId)?.isPresent === true;
  }

  /** Another process, or this one, says how a user is. True: that is news, and is to be told. */
  hear(userId: string, { isPresent, serial }: Standing, frameText: string): boolean {
    const known = this.#known.get(userId);
    if (known !== undefined && serial <= known.serial) return false;
    return this.#become(userId, known, isPresent ? frameText : null, serial);
  }

  /**
   * Compares with what the store says, of everybody or of those asked about. What is said to have been added or removed
   * is to be told; who is missed is still believed to be there.
   */
  compare({ members, serial }: PresenceView, asked?: Iterable<string>): Differences {
    const stored = new Set<string>();
    const added: Member[] = [];
    for (const member of members) {
      const { userId } = member;
      stored.add(userId);
      const known = this.#known.get(userId);
      if (known !== undefined && serial <= known.serial) continue;
      if (this.#become(userId, known, member, serial)) added.push(member);
    }
    const removed: string[] = [];
    const missed: Shown[] = [];
    for (const userId of asked ?? this.#known.keys()) {
      const known = this.#known.get(userId);
      if (known?.isPresent !== true || stored.has(userId) || serial <= known.serial) continue;
      known.missedAtMs ??= this.#miss();
      if (this.nowMs() - known.missedAtMs < MISSED_MS) missed.push(known.shown ?? '');
      else if (this.#become(userId, known, null, serial)) removed.push(userId);
    }
    return { added, removed, missed };
  }

  /** Nobody here wants to know of the user any more. */
  forget(userId: string): void {
    const known = this.#known.get(userId);
    this.#settle(known);
    this.#known.delete(userId);
    this.#gone.delete(userId);
  }

  #become(userId: string, known: Known | undefined, shown: Shown | null, serial: number): boolean {
    const isPresent = shown !== null;
    this.#settle(known);
    this.#gone.delete(userId);
    if (!isPresent) this.#remember(userId);
    if (known === undefined) {
      this.#known.set(userId, { serial, isPresent, shown, missedAtMs: null });
      return isPresent;
    }
    const isNews = known.isPresent !== isPresent;
    Object.assign(known, { serial, isPresent, shown, missedAtMs: null });
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
