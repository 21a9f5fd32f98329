import type { Member } from '../../port.js';
import type { UserState } from '../../transitions.js';
import type { HeldConnections } from './held-connections.js';

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
  /** Made when first asked for, and anew after a change. */
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

  /** Who was there keeps the place in the order; a state of null takes the user out. */
  put(userId: string, { state, connections }: Occupant): void {
    const before = this.#occupants.get(userId);
    if (before?.state.member !== state?.member) this.#members = null;
    if (state === null) this.#occupants.delete(userId);
    else if (before === undefined) this.#occupants.set(userId, { state, connections });
    else {
      before.state = state;
      before.connections = connections;
    }
  }

  /** The same array as long as nobody came, went or changed, so that what is made of it can be kept with it. */
  members(): readonly Member[] {
    this.#members ??= Array.from(this.#occupants.values(), ({ state }) => state.member);
    return this.#members;
  }
}
