import type { PresenceEvent } from '@carillon/history-store';
import type { PresenceMemberBody } from './presence-bodies.js';

/**
 * Who is there after a row of events, taken in from the oldest to the newest. An event that cannot follow from those
 * before it is an anomaly when all of them are known, and otherwise taken as it is.
 */
export class Membership {
  readonly #members = new Map<string, PresenceMemberBody>();
  #last: PresenceEvent | null = null;
  #replayed = 0;

  /** `contiguous`: no serial may be missing. `complete`: nothing came before the first event. */
  constructor(private readonly demands: { readonly contiguous: boolean; readonly complete: boolean }) {}

  get last(): PresenceEvent | null {
    return this.#last;
  }

  get replayed(): number {
    return this.#replayed;
  }

  /** By user id. */
  get members(): PresenceMemberBody[] {
    return [...this.#members.values()].sort((one, other) => (one.user_id < other.user_id ? -1 : 1));
  }

  /** Takes in the next event; gives what is wrong with it, or null. */
  add(event: PresenceEvent): string | null {
    const anomaly = this.#anomalyOf(event);
    if (anomaly !== null) return anomaly;
    this.#last = event;
    this.#replayed += 1;
    if (event.event === 'member_removed') this.#members.delete(event.userId);
    else
      this.#members.set(event.userId, {
        user_id: event.userId,
        last_event: event.event,
        last_event_serial: event.serial,
        last_event_at_ms: event.atMs,
      });
    return null;
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
