import type { Standing } from '@carillon/fabric';
import type { ChannelCounts, Presence, PresenceView } from '@carillon/presence';
import { encodeV1, memberAdded, memberRemoved, subscriptionCount } from '@carillon/protocol';
import type { Gate } from '../delivery/gate.js';
import type { Watchlists } from '../users/watchlists.js';
import type { AppHub } from './app-hub.js';
import type { Hubs } from './hubs.js';
import type { LocalChannel, Told } from './local-channel.js';
import type { Shown } from './roster.js';

/** What looking works with. */
export interface LooksParts {
  readonly hubs: Hubs;
  readonly presence: Pick<Presence, 'look'>;
  readonly watchlists: Pick<Watchlists, 'look'>;
  readonly counts: Pick<ChannelCounts, 'look'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Looks at the store that run side by side. */
const MOST_AT_ONCE = 16;
/** Users or channels asked about at once. */
const BATCH = 1000;
/** How long after a doubt, or a look that failed, it is looked again. */
const AGAIN_MS = 1000;

type Place = AppHub | LocalChannel;

/**
 * Looks at the store where word of changes may have been missed: everywhere when other processes were out of reach or
 * the store had been away, and where a look left users in doubt.
 */
export class Looks {
  /** Looked at in this order; each once. */
  readonly #due = new Set<Place>();
  readonly #later = new Set<Place>();
  #running = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: LooksParts) {}

  /** What other processes told may have been missed, or not been told. */
  everywhere(): void {
    for (const hub of this.parts.hubs) {
      this.#due.add(hub);
      for (const channel of hub.channels.values()) if (channel.roster !== null) this.#due.add(channel);
    }
    this.#run();
  }

  /** Looks again in a while. */
  later(place: Place): void {
    this.#later.add(place);
    this.#timer ??= setTimeout(() => this.#again(), AGAIN_MS).unref();
  }

  /**
   * Somebody is about to be shown the members as they are in this view. Those who have the channel already are told
   * what they did not know, and the newcomer, after the view, what is not in it and all others believe.
   */
  shown(channel: LocalChannel, gate: Gate, view: PresenceView): void {
    const missed = this.#compare(channel, view);
    gate.shown(view.serial);
    for (const shown of missed) gate.hold('', frameOf(channel, shown), Infinity);
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
      if (this.#running >= MOST_AT_ONCE) return;
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
        const frameText = encodeV1(subscriptionCount(channel.name, count));
        const standing = { userId: null, isPresent: true, serial };
        // Others look for themselves.
        if (!channel.knows(frameText)) channel.deliver(localFrame(frameText, standing));
      }
    }
  }

  /** Those who are not in the view and believed to be there. */
  #compare(channel: LocalChannel, view: PresenceView): readonly Shown[] {
    if (channel.roster === null) return [];
    const { added, removed, missed } = channel.roster.compare(view);
    const tell = (frameText: string, userId: string, isPresent: boolean): void =>
      void channel.tell(localFrame(frameText, { userId, isPresent, serial: view.serial }));
    for (const member of added) tell(frameOf(channel, member), member.userId, true);
    for (const userId of removed) tell(encodeV1(memberRemoved(channel.name, userId)), userId, false);
    if (missed.length > 0) this.later(channel);
    return missed;
  }
}

const frameOf = ({ name }: LocalChannel, shown: Shown): string =>
  typeof shown === 'string' ? shown : encodeV1(memberAdded(name, shown));

/** What only this process tells. */
const localFrame = (frameText: string, standing: Standing): Told => ({
  messageId: '',
  frameText,
  exceptSocketId: null,
  standing,
});
