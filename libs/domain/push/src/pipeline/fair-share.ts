/** Batches of one app that run at once while other apps have some, too. */
const MOST_OF_ONE = 8;

/** Keeps one app from taking all the places there are: alone it may have them, beside others only so many. */
export class FairShare {
  readonly #running = new Map<string, number>();

  /** False: others have their turn first. */
  enter(appId: string): boolean {
    const own = this.#running.get(appId) ?? 0;
    const isAlone = this.#running.size === 0 || (this.#running.size === 1 && own > 0);
    if (!isAlone && own >= MOST_OF_ONE) return false;
    this.#running.set(appId, own + 1);
    return true;
  }

  leave(appId: string): void {
    const left = (this.#running.get(appId) ?? 1) - 1;
    if (left === 0) this.#running.delete(appId);
    else this.#running.set(appId, left);
  }
}
