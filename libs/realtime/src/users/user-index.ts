import type { Subscriber } from '../subscriber/subscriber.js';

/** Connections by user id; a subscriber may have several user ids. */
export class UserIndex {
  readonly #byUser = new Map<string, Subscriber | Set<Subscriber>>();

  /** Number of users with at least one subscriber. */
  get size(): number {
    return this.#byUser.size;
  }

  get users(): Iterable<string> {
    return this.#byUser.keys();
  }

  has(userId: string): boolean {
    return this.#byUser.has(userId);
  }

  /** Returns true if it is the user's first subscriber. */
  add(userId: string, subscriber: Subscriber): boolean {
    const filed = this.#byUser.get(userId);
    if (filed === undefined) this.#byUser.set(userId, subscriber);
    else if (filed instanceof Set) filed.add(subscriber);
    else if (filed !== subscriber) this.#byUser.set(userId, new Set([filed, subscriber]));
    return filed === undefined;
  }

  /** Returns true if it was the user's last subscriber. */
  remove(userId: string, subscriber: Subscriber): boolean {
    const filed = this.#byUser.get(userId);
    if (filed instanceof Set) {
      filed.delete(subscriber);
      if (filed.size > 0) return false;
    } else if (filed !== subscriber) return false;
    return this.#byUser.delete(userId);
  }

  /** Returns a snapshot of the connections of a user, safe while connections open and close. */
  of(userId: string): readonly Subscriber[] {
    const filed = this.#byUser.get(userId);
    if (filed === undefined) return [];
    return filed instanceof Set ? [...filed] : [filed];
  }
}
