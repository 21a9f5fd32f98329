import { ServiceError } from '@carillon/errors';
import {
  CHECKPOINT_EVERY,
  type PresenceCheckpoint,
  type PresenceEvent,
  type PresenceEvents,
  type Retained,
  type Stream,
} from '@carillon/history-store';
import { type Demands, Membership } from './membership.js';
import type { SnapshotQuery } from './snapshot-query.js';

/** Events of a replay that are read together. */
const REPLAYED_AT_ONCE = 1000;

/** A stream of presence with what of it is visible at a moment. */
export interface Replayed {
  readonly stream: Stream;
  readonly retained: Retained;
  readonly nowMs: number;
}

/**
 * Tells from its events who was there, as if all that are visible were taken in from the oldest to the bound. What comes
 * before the nearest checkpoint is not read again: it was taken in when the checkpoint was made. Events that contradict
 * each other are `conflict`; of those before the checkpoint it is not known.
 */
export class PresenceReplay {
  readonly #floor: number;

  constructor(
    private readonly store: PresenceEvents,
    private readonly of: Replayed,
  ) {
    this.#floor = of.retained.oldest?.serial ?? of.stream.nextHistorySerial;
  }

  async upTo(query: SnapshotQuery): Promise<Membership> {
    const until = await this.#until(query);
    const contiguous = query.atTimeMs === null;
    const demands = { contiguous, complete: this.#floor === 1 && contiguous };
    if (until === null) return new Membership(demands);
    const membership = (await this.#fromCheckpoint(until, demands)) ?? new Membership(demands);
    await this.#takeIn(membership, (membership.last?.serial ?? this.#floor - 1) + 1, until);
    if (contiguous && membership.last?.serial !== until) throw conflict(`the events end before ${until}`);
    return membership;
  }

  /** The serial of the last event that counts; null: there is none. Times never decrease as serials rise. */
  async #until({ atSerial, atTimeMs }: SnapshotQuery): Promise<number | null> {
    const newest = this.of.retained.newest?.serial ?? null;
    if (newest === null) return null;
    const until = Math.min(newest, atSerial ?? newest);
    if (until < this.#floor) return null;
    if (atTimeMs === null) return until;
    const [last] = await this.#events({ toSerial: until, toMs: atTimeMs, newestFirst: true, limit: 1 });
    return last?.serial ?? null;
  }

  /** Null: there is no checkpoint in the visible range, or it is not to be trusted there. */
  async #fromCheckpoint(until: number, demands: Demands): Promise<Membership | null> {
    if (until - this.#floor < CHECKPOINT_EVERY || !this.#isWhole()) return null;
    const { streamKey, generation } = this.of.stream;
    const range = { fromSerial: this.#floor, toSerial: until };
    const checkpoint = await this.store.presenceCheckpoint({ streamKey, generation, ...range });
    if (checkpoint === null) return null;
    const { serial } = checkpoint;
    const [own] = await this.#events({ fromSerial: serial, toSerial: serial, limit: 1 });
    return own === undefined ? null : Membership.from(this.#visible(checkpoint), own, this.#floor, demands);
  }

  /** Where rows expired before older ones, their events must be missed and not be covered up. */
  #isWhole(): boolean {
    const { oldest, newest, messages } = this.of.retained;
    return oldest !== null && newest !== null && newest.serial - oldest.serial + 1 === messages;
  }

  /** A replay of what is visible knows nothing of members whose last event is not. */
  #visible({ serial, members }: PresenceCheckpoint): PresenceCheckpoint {
    return { serial, members: members.filter((member) => member.serial >= this.#floor) };
  }

  async #takeIn(membership: Membership, first: number, until: number): Promise<void> {
    for (let fromSerial = first; fromSerial <= until;) {
      const events = await this.#events({ fromSerial, toSerial: until, limit: REPLAYED_AT_ONCE });
      for (const event of events) {
        const anomaly = membership.add(event);
        if (anomaly !== null) throw conflict(anomaly);
      }
      const last = events.at(-1);
      if (last === undefined || events.length < REPLAYED_AT_ONCE) return;
      fromSerial = last.serial + 1;
    }
  }

  #events(
    bounds: Partial<Parameters<PresenceEvents['presenceEvents']>[0]> & { readonly limit: number },
  ): Promise<readonly PresenceEvent[]> {
    const { stream, nowMs } = this.of;
    const all = { newestFirst: false, fromSerial: null, toSerial: null, fromMs: null, toMs: null };
    return this.store.presenceEvents({ stream, nowMs, ...all, ...bounds });
  }
}

const conflict = (anomaly: string): ServiceError =>
  new ServiceError('conflict', { text: `the presence history is inconsistent: ${anomaly}` });
