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

/** A presence stream with its visible part at a given time. */
export interface Replayed {
  readonly stream: Stream;
  readonly retained: Retained;
  readonly nowMs: number;
}

/**
 * Derives the members at a given time from events, as if all visible ones were applied up to the bound. Events before
 * the nearest checkpoint are not read again. Contradicting events are a `conflict`; those before the checkpoint are
 * not checked.
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

  /** Serial of the last relevant event; null: none. Times never decrease as serials rise. */
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

  /** If rows expired before older ones, the missing events must show and not be hidden by a checkpoint. */
  #isWhole(): boolean {
    const { oldest, newest, messages } = this.of.retained;
    return oldest !== null && newest !== null && newest.serial - oldest.serial + 1 === messages;
  }

  /** Removes members whose last event is no longer visible. */
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
