import type { ChannelCounts, Presence, PresenceView } from '@carillon/presence';
import type { MemberAdded, PresenceMember } from '@carillon/protocol';
import type { PendingFrames } from '../channels/pending-frames.js';
import type { Watchlists } from '../users/watchlists.js';
import type { AppHub } from '../apps/app-hub.js';
import type { Hubs } from '../apps/hubs.js';
import type { LocalChannel } from '../channels/local-channel.js';
import { Frames } from '../codec.js';

/** Dependencies of `PresenceResync`. */
export interface LooksParts {
  readonly hubs: Hubs;
  readonly presence: Pick<Presence, 'look'>;
  readonly watchlists: Pick<Watchlists, 'look'>;
  readonly counts: Pick<ChannelCounts, 'look'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Concurrent comparisons with the store. */
const MAX_AT_ONCE = 16;
/** Users or channels per request. */
const BATCH = 1000;
/** Delay before the store is read again after a doubtful or failed comparison. */
const AGAIN_MS = 1000;

type Place = AppHub | LocalChannel;

/**
 * Compares with the presence store where changes may have been missed: everywhere after other processes or the store
 * were unreachable, and where a comparison left users in doubt.
 */
export class PresenceResync {
  /** Pending comparisons, in order, without duplicates. */
  readonly #due = new Set<Place>();
  readonly #later = new Set<Place>();
  #running = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: LooksParts) {}

  /** Changes of other processes may have been missed, or those of this one not been received. */
  everywhere(): void {
    for (const hub of this.parts.hubs) {
      this.#due.add(hub);
      for (const channel of hub.channels.values()) if (channel.roster !== null) this.#due.add(channel);
    }
    this.#run();
  }

  /** Schedules another comparison. */
  later(place: Place): void {
    this.#later.add(place);
    this.#timer ??= setTimeout(() => this.#again(), AGAIN_MS).unref();
  }

  /**
   * A subscriber is about to receive the members of this view. Existing subscribers receive the differences; the new
   * one receives, after the view, members not in it that the others consider present.
   */
  shown(channel: LocalChannel, gate: PendingFrames, view: PresenceView): void {
    const missed = this.#compare(channel, view);
    gate.shown(view.serial);
    for (const member of missed) gate.hold(new Frames(added(channel, member, Infinity)));
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#due.clear();
    this.#later.clear();
  }

  #again(): void {
    this.#timer = null;
    for (const place of this.#later) this.#due.add(place);
    this.#later.clear();
    this.#run();
  }

  #run(): void {
    for (const place of this.#due) {
      if (this.#running >= MAX_AT_ONCE) return;
      this.#due.delete(place);
      this.#running += 1;
      void this.#look(place);
    }
  }

  async #look(place: Place): Promise<void> {
    try {
      if ('channels' in place) {
        await this.#lookAtWatched(place);
        await this.#lookAtCounts(place);
      } else await this.#lookAtMembers(place);
    } catch (error) {
      this.parts.onTrouble('looking who is there', error);
      this.later(place);
    }
    this.#running -= 1;
    this.#run();
  }

  async #lookAtMembers(channel: LocalChannel): Promise<void> {
    const { hub, name } = channel;
    if (hub.channels.get(name) !== channel) return;
    this.#compare(channel, await this.parts.presence.look({ appId: hub.appId, channel: name }));
  }

  async #lookAtWatched(hub: AppHub): Promise<void> {
    const userIds = [...hub.watchers.users];
    for (let first = 0; first < userIds.length; first += BATCH) {
      await this.parts.watchlists.look(hub, userIds.slice(first, first + BATCH));
    }
  }

  async #lookAtCounts(hub: AppHub): Promise<void> {
    if (!hub.rules.subscriptionCounts) return;
    const names = [...hub.channels.values()]
      .filter(({ about }) => !about.traits.members)
      .map(({ name }) => name);
    for (let first = 0; first < names.length; first += BATCH) {
      const batch = names.slice(first, first + BATCH);
      for (const [at, { count, serial }] of (await this.parts.counts.look(hub.appId, batch)).entries()) {
        const channel = hub.channels.get(batch[at] ?? '');
        if (channel === undefined || count === 0) continue;
        // Other processes compare for themselves.
        if (channel.knowsCount(count)) continue;
        channel.deliver({ kind: 'channel_counted', channel: channel.name, count, serial });
      }
    }
  }

  /** Returns the members that are not in the view but considered present. */
  #compare(channel: LocalChannel, view: PresenceView): readonly PresenceMember[] {
    if (channel.roster === null) return [];
    const { added: come, removed, missed } = channel.roster.compare(view);
    const { name } = channel;
    const { serial } = view;
    for (const member of come) channel.tell(added(channel, member, serial));
    for (const member of removed) channel.tell({ kind: 'member_removed', channel: name, ...member, serial });
    if (missed.length > 0) this.later(channel);
    return missed;
  }
}

const added = ({ name }: LocalChannel, member: PresenceMember, serial: number): MemberAdded => ({
  kind: 'member_added',
  channel: name,
  member,
  serial,
});
