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

/** Who is not there. */
export const ABSENT: Occupant = { state: null, connections: null };

/** The users of one place, in order of first join. */
export class Roster {
  readonly #occupants = new Map<string, PresentOccupant>();
  /** Made when asked for, then grown; null after every other change. Never changed itself: callers hold it. */
  #members: readonly Member[] | null = null;

  /** Distinct users, leased ones too. */
  get size(): number {
    return this.#occupants.size;
  }

  has(userId: string): boolean {
    return this.#occupants.has(userId);
  }

  /** As of now: look again after a change. */
  occupant(userId: string): Occupant {
    return this.#occupants.get(userId) ?? ABSENT;
  }

  /** A newcomer comes last in the order; who is there keeps the place. */
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

  /** The same array as long as nobody came, went or changed, so that what is made of it can be kept with it. */
  members(): readonly Member[] {
    if (this.#members !== null) return this.#members;
    const members: Member[] = [];
    for (const { state } of this.#occupants.values()) members.push(state.member);
    this.#members = members;
    return members;
  }
}
