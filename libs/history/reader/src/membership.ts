import type { PresenceCheckpoint, PresenceEvent } from '@carillon/history-store';
import type { PresenceMemberBody } from './presence-bodies.js';

/** Requirements on a sequence of events. */
export interface Demands {
  /** No serial may be missing. */
  readonly contiguous: boolean;
  /** Nothing came before the first event. */
  readonly complete: boolean;
}

/**
 * Members after a sequence of events, oldest first. An event that contradicts earlier ones is an anomaly if all
 * events are known, and is otherwise applied.
 */
export class Membership {
  readonly #members = new Map<string, PresenceMemberBody>();
  #last: PresenceEvent | null = null;
  #replayed = 0;

  constructor(private readonly demands: Demands) {}

  /** Starts after the event of a checkpoint, as if all events from `first` on had been applied. */
  static from(
    { members }: PresenceCheckpoint,
    event: PresenceEvent,
    first: number,
    demands: Demands,
  ): Membership {
    const membership = new Membership(demands);
    for (const member of members) membership.#put(member);
    membership.#last = event;
    membership.#replayed = event.serial - first + 1;
    return membership;
  }

  get last(): PresenceEvent | null {
    return this.#last;
  }

  /** Number of applied events, including those covered by a checkpoint. */
  get replayed(): number {
    return this.#replayed;
  }

  /** Sorted by user id. */
  get members(): PresenceMemberBody[] {
    return [...this.#members.values()].sort((one, other) => (one.user_id < other.user_id ? -1 : 1));
  }

  /** Applies the next event; returns its anomaly, or null. */
  add(event: PresenceEvent): string | null {
    const anomaly = this.#anomalyOf(event);
    if (anomaly !== null) return anomaly;
    this.#last = event;
    this.#replayed += 1;
    if (event.event === 'member_removed') this.#members.delete(event.userId);
    else this.#put(event);
    return null;
  }

  #put({ userId, event, serial, atMs }: Pick<PresenceEvent, 'atMs' | 'event' | 'serial' | 'userId'>): void {
    this.#members.set(userId, {
      user_id: userId,
      last_event: event,
      last_event_serial: serial,
      last_event_at_ms: atMs,
    });
  }

  #anomalyOf({ serial, event, userId }: PresenceEvent): string | null {
    const { contiguous, complete } = this.demands;
    const expected = this.#last === null ? null : this.#last.serial + 1;
    if (contiguous && expected !== null && serial !== expected)
      return `event ${expected} is missing before ${serial}`;
    if (!complete) return null;
    const present = this.#members.has(userId);
    if (event === 'member_added')
      return present ? `event ${serial} adds a member that is there already` : null;
    if (present) return null;
    return `event ${serial} ${event === 'member_removed' ? 'removes' : 'updates'} a member that is not there`;
  }
}
