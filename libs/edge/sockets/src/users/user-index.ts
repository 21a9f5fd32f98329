import type { Connection } from '../connection/connection.js';

/** Connections by a user id they are filed under; a connection may be filed under several. */
export class UserIndex {
  readonly #byUser = new Map<string, Connection | Set<Connection>>();

  /** Users with at least one connection. */
  get size(): number {
    return this.#byUser.size;
  }

  get users(): Iterable<string> {
    return this.#byUser.keys();
  }

  has(userId: string): boolean {
    return this.#byUser.has(userId);
  }

  /** True when it is the user's first. */
  add(userId: string, connection: Connection): boolean {
    const filed = this.#byUser.get(userId);
    if (filed === undefined) this.#byUser.set(userId, connection);
    else if (filed instanceof Set) filed.add(connection);
    else if (filed !== connection) this.#byUser.set(userId, new Set([filed, connection]));
    return filed === undefined;
  }

  /** True when it was the user's last. */
  remove(userId: string, connection: Connection): boolean {
    const filed = this.#byUser.get(userId);
    if (filed instanceof Set) {
      filed.delete(connection);
      if (filed.size > 0) return false;
    } else if (filed !== connection) return false;
    return this.#byUser.delete(userId);
  }

  /** Those filed under the user now; the list may be used while connections come and go. */
  of(userId: string): readonly Connection[] {
    const filed = this.#byUser.get(userId);
    if (filed === undefined) return [];
    return filed instanceof Set ? [...filed] : [filed];
  }
}
