import type { PresenceCheckpoint, PresenceStanding } from '../model/checkpoint.js';
import type { MemberThere, PresenceEvent, PresenceMember } from '../model/presence.js';
import type { Stream } from '../model/stream.js';
import type { CheckpointQuery, PageQuery } from '../port.js';

/** Presence events and current members of one stream. */
export class MemoryPresence {
  #events: PresenceEvent[] = [];
  readonly #members = new Map<string, PresenceMember>();
  /** Current members, by their last event. */
  readonly #crowd = new Map<string, PresenceStanding>();
  #checkpoints: PresenceCheckpoint[] = [];

  /** In the order of their serials. */
  get events(): readonly PresenceEvent[] {
    return this.#events;
  }

  add(event: PresenceEvent): void {
    this.#events.push(event);
    const { userId, event: what, serial, atMs } = event;
    if (what === 'member_removed') this.#crowd.delete(userId);
    else this.#crowd.set(userId, { userId, event: what, serial, atMs });
  }

  setMember(member: PresenceMember): void {
    this.#members.set(member.userId, member);
  }

  member(userId: string): PresenceMember | undefined {
    return this.#members.get(userId);
  }

  crowd({ floorHistorySerial }: Stream): PresenceStanding[] {
    return [...this.#crowd.values()].filter(({ serial }) => serial >= floorHistorySerial);
  }

  there({ streamKey, address: { appId, channel } }: Stream): MemberThere[] {
    return [...this.#members.values()]
      .filter(({ present }) => present)
      .map(({ userId }) => ({ appId, channel, streamKey, userId }));
  }

  addCheckpoint({ serial, members }: PresenceCheckpoint): void {
    this.#checkpoints.push({ serial, members });
  }

  checkpoint({ fromSerial, toSerial }: CheckpointQuery): PresenceCheckpoint | undefined {
    return this.#checkpoints.findLast(({ serial }) => serial >= fromSerial && serial <= toSerial);
  }

  page(query: PageQuery, floor: number): PresenceEvent[] {
    const rows = this.visible(query.nowMs, floor).filter(
      ({ serial, atMs }) =>
        within(serial, query.fromSerial, query.toSerial) && within(atMs, query.fromMs, query.toMs),
    );
    return (query.newestFirst ? rows.reverse() : rows).slice(0, query.limit);
  }

  visible(nowMs: number, floor: number): PresenceEvent[] {
    return this.#events.filter(({ serial, keepUntilMs }) => serial >= floor && keepUntilMs > nowMs);
  }

  /** The oldest, with the checkpoints that go with them. */
  drop(count: number): PresenceEvent[] {
    const gone = this.#events.splice(0, count);
    const last = gone.at(-1)?.serial ?? 0;
    this.#checkpoints = this.#checkpoints.filter(({ serial }) => serial > last);
    return gone;
  }

  clear(): void {
    this.#events = [];
    this.#members.clear();
    this.#crowd.clear();
    this.#checkpoints = [];
  }
}

export const within = (value: number, from: number | null, to: number | null): boolean =>
  (from === null || value >= from) && (to === null || value <= to);
