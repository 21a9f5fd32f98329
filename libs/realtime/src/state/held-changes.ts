import type { MemberRemoved, MemberUpdated } from '@carillon/protocol';

/** A change that references its predecessor. */
export type ChainedChange = MemberRemoved | MemberUpdated;

/**
 * Limits of held changes per member and per channel. Beyond them changes of the member are delivered without waiting.
 */
const MAX_OF_MEMBER = 64;
const MAX_OF_CHANNEL = 4096;
/** Time a change waits for its predecessor, which may be lost. */
const HOLD_MS = 2000;

/**
 * Changes of members that arrived before their predecessor: two processes publish independently, so that their
 * changes may overtake each other. A change is released by its predecessor, or when that is overdue.
 */
export class HeldChanges {
  readonly #byUser = new Map<string, ChainedChange[]>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #size = 0;

  /** `onOverdue` receives the changes of a member whose predecessor is overdue, in order. */
  constructor(private readonly onOverdue: (userId: string) => void) {}

  /** Returns false if the limit is reached. Duplicates are held once. */
  add(userId: string, change: ChainedChange): boolean {
    const held = this.#byUser.get(userId) ?? [];
    if (held.some(({ serial }) => serial === change.serial)) return true;
    if (held.length >= MAX_OF_MEMBER || this.#size >= MAX_OF_CHANNEL) return false;
    held.push(change);
    held.sort((one, other) => one.serial - other.serial);
    this.#byUser.set(userId, held);
    this.#size += 1;
    if (held.length === 1) {
      const overdue = (): void => this.onOverdue(userId);
      this.#timers.set(userId, setTimeout(overdue, HOLD_MS).unref());
    }
    return true;
  }

  /**
   * Removes and returns the first change of the member if it follows this version or an earlier one; null: none does.
   */
  next(userId: string, version: number): ChainedChange | null {
    const [first] = this.#byUser.get(userId) ?? [];
    return first === undefined || (first.after ?? 0) > version ? null : this.#take(userId);
  }

  /** Removes and returns all changes of the member below a serial, in order. */
  below(userId: string, serial: number): ChainedChange[] {
    const taken: ChainedChange[] = [];
    for (;;) {
      const [first] = this.#byUser.get(userId) ?? [];
      if (first === undefined || first.serial >= serial) return taken;
      const change = this.#take(userId);
      if (change !== null) taken.push(change);
    }
  }

  #take(userId: string): ChainedChange | null {
    const held = this.#byUser.get(userId);
    const first = held?.shift();
    if (first === undefined) return null;
    this.#size -= 1;
    if (held?.length === 0) {
      this.#byUser.delete(userId);
      clearTimeout(this.#timers.get(userId));
      this.#timers.delete(userId);
    }
    return first;
  }
}
