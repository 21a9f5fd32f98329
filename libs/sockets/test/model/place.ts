/** Keeps a user in a place after the last connection closed, until the end. */
export interface Lease {
  readonly endsAtMs: number;
}

interface Occupant {
  info: string;
  readonly clients: Set<object>;
  lease: Lease | null;
}

/** The users of a presence channel, or those online, in the order they first came. */
export class Place {
  readonly #occupants = new Map<string, Occupant>();

  get users(): readonly string[] {
    return [...this.#occupants.keys()];
  }

  has(user: string): boolean {
    return this.#occupants.has(user);
  }

  /** True: the user was not there. */
  join(user: string, info: string, client: object): boolean {
    const occupant = this.#occupants.get(user);
    if (occupant === undefined) {
      this.#occupants.set(user, { info, clients: new Set([client]), lease: null });
      return true;
    }
    if (!occupant.clients.has(client)) occupant.info = info;
    occupant.clients.add(client);
    occupant.lease = null;
    return false;
  }

  /** True: the user has gone. */
  leave(user: string, client: object, lease: Lease | null): boolean {
    const occupant = this.#occupants.get(user);
    if (occupant?.clients.delete(client) !== true || occupant.clients.size > 0) return false;
    occupant.lease = lease;
    return lease === null && this.#occupants.delete(user);
  }

  /** True: the user has gone with the end of this very lease. */
  end(user: string, lease: Lease): boolean {
    return this.#occupants.get(user)?.lease === lease && this.#occupants.delete(user);
  }

  /** Members sent to a joining client. */
  get roster(): string {
    const hash = this.users.map((user) => `"${user}":${this.#occupants.get(user)?.info ?? ''}`);
    const ids = JSON.stringify(this.users);
    return `{"presence":{"ids":${ids},"hash":{${hash.join(',')}},"count":${this.users.length}}}`;
  }
}
