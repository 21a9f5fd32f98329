import type { Member } from '../../port.js';
import type { UserState } from '../../transitions.js';
import type { HeldConnections } from '../../held-connections.js';

/** A user as far as this driver knows one; the state is null when the user is not there. */
export interface Occupant {
  readonly state: UserState;
  readonly connections: HeldConnections;
}

interface PresentOccupant {
  state: NonNullable<UserState>;
  connections: HeldConnections;
}

/** State of an absent user. */
export const ABSENT: Occupant = { state: null, connections: null };

/** The users of one place, in order of first join. */
export class Roster {
  readonly #occupants = new Map<string, PresentOccupant>();
  /** Created on demand; null after every change other than a join. Immutable: callers hold it. */
  #members: readonly Member[] | null = null;

  /** Distinct users, leased ones too. */
  get size(): number {
    return this.#occupants.size;
  }

  has(userId: string): boolean {
    return this.#occupants.has(userId);
  }

  /** Current state; outdated after a change. */
  occupant(userId: string): Occupant {
    return this.#occupants.get(userId) ?? ABSENT;
  }

  /** Appends a new user; an existing one keeps its position. */
  put(userId: string, state: NonNullable<UserState>, connections: HeldConnections): void {
    const occupant = this.#occupants.get(userId);
    if (occupant === undefined) {
      this.#occupants.set(userId, { state, connections });
      // Copying the list is ten times as fast as making it: joins to a large channel feel it.
      if (this.#members !== null) this.#members = [...this.#members, state.member];
      return;
    }
    if (occupant.state.member !== state.member) this.#members = null;
    occupant.state = state;
    occupant.connections = connections;
  }

  remove(userId: string): void {
    if (this.#occupants.delete(userId)) this.#members = null;
  }

  /** Returns the same array while nothing changes, so that derived data can be cached with it. */
  members(): readonly Member[] {
    if (this.#members !== null) return this.#members;
    const members: Member[] = [];
    for (const { state } of this.#occupants.values()) members.push(state.member);
    this.#members = members;
    return members;
  }
}
