/** Minimum number of events per app that are recognised as duplicates. */
const REMEMBERED_PER_APP = 4096;
/** Limit over all apps; beyond it, the oldest ids are evicted. */
const REMEMBERED = 262_144;

type IdsByApp = Map<string, Set<string>>;

/** Remembers the events that came last, app by app, so that a copy of one is noticed. */
export class Seen {
  #young: IdsByApp = new Map();
  #old: IdsByApp = new Map();
  #count = 0;

  /** @returns whether it came before */
  isCopy(appId: string, messageId: string): boolean {
    const young = this.#young.get(appId) ?? new Set();
    const known = young.size;
    // One look instead of two: a set that does not grow had it.
    young.add(messageId);
    if (young.size === known || this.#old.get(appId)?.has(messageId) === true) return true;
    this.#young.set(appId, young);
    if (young.size >= REMEMBERED_PER_APP) {
      this.#young.delete(appId);
      this.#old.set(appId, young);
    }
    this.#count += 1;
    if (this.#count >= REMEMBERED) this.#turn();
    return false;
  }

  #turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#count = 0;
  }
}
