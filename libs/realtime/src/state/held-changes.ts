import type { MemberRemoved, MemberUpdated } from '@carillon/protocol';

/** A change that names the change of the member before it. */
export type ChainedChange = MemberRemoved | MemberUpdated;

/**
 * Limits of held changes per member and per channel. Beyond them changes of the member are delivered without waiting.
 */
const MOST_OF_MEMBER = 64;
const MOST_OF_CHANNEL = 4096;
/** Time a change waits for its predecessor, which may be lost. */
const HOLD_MS = 2000;

/**
 * Changes of members that arrived before the change they follow: two processes send each their own, so that they may
 * overtake each other. A change is released by the one before it, or when that is overdue.
 */
export class HeldChanges {
  readonly #byUser = new Map<string, ChainedChange[]>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #size = 0;

  /** `onOverdue` receives the changes of a member whose predecessor is overdue, in order. */
  constructor(private readonly onOverdue: (userId: string) => void) {}

  /** False: there is no room. A change that is held already is held once. */
  add(userId: string, change: ChainedChange): boolean {
    const held = this.#byUser.get(userId) ?? [];
    if (held.some(({ serial }) => serial === change.serial)) return true;
    if (held.length >= MOST_OF_MEMBER || this.#size >= MOST_OF_CHANNEL) return false;
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

  /** Takes out the first change of the member if it follows this version or an earlier one; null: none does. */
  next(userId: string, version: number): ChainedChange | null {
    const [first] = this.#byUser.get(userId) ?? [];
    return first === undefined || (first.after ?? 0) > version ? null : this.#take(userId);
  }

  /** Takes out every change of the member below a serial, in order. */
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
