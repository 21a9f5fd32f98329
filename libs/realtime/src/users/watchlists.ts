import { ONLINE_USERS, type Presence, type PresenceChange } from '@carillon/presence';
import type { UserSeen } from '@carillon/protocol';
import type { Subscriber } from '../subscriber/subscriber.js';
import { Frames } from '../codec.js';
import type { Announcements } from '../state/announcements.js';
import type { Outlet } from '../delivery/outlet.js';
import type { AppHub } from '../apps/app-hub.js';
import type { Identity } from './identity.js';
import type { Interests } from './interests.js';
import { watchChannel } from './watch-channel.js';

/** Dependencies of `Watchlists`. */
export interface WatchlistParts {
  readonly interests: Interests;
  readonly presence: Presence;
  readonly announcements: Pick<Announcements, 'announce'>;
  readonly outlet: Outlet;
  /** Called when the online status of watched users must be read again. */
  readonly onDoubt: (hub: AppHub) => void;
}

/** Notifies connections when users they watch go online or offline. */
export class Watchlists {
  constructor(private readonly parts: WatchlistParts) {}

  /** Begins to watch the users of the identity's watchlist, and sends who of them is online before any change. */
  async begin(subscriber: Subscriber, identity: Identity): Promise<void> {
    const { hub } = subscriber;
    const { watchlist } = identity;
    if (watchlist.length === 0) return;
    hub.newWatchers.add(subscriber);
    try {
      const attempts = watchlist.flatMap((userId) => this.#watch(subscriber, userId) ?? []);
      // Changes after the store was read must reach this process.
      if (attempts.length > 0) await Promise.all(attempts);
      await this.look(hub, watchlist);
      if (!subscriber.isOpen || subscriber.identity !== identity) return;
      const [online, offline] = divided(watchlist, (userId) => hub.watched.has(userId));
      this.parts.outlet.send(subscriber, { kind: 'watch_begun', online, offline });
    } finally {
      hub.newWatchers.delete(subscriber);
    }
  }

  /** Reads who of them is online from the store, and sends watchers the missed changes. */
  async look(hub: AppHub, userIds: readonly string[]): Promise<void> {
    const place = { appId: hub.appId, channel: ONLINE_USERS };
    const view = await this.parts.presence.look(place, userIds);
    const watched = userIds.filter((userId) => hub.watchers.has(userId));
    const members = view.members.filter(({ userId }) => hub.watchers.has(userId));
    const { added, removed, missed } = hub.watched.compare({ ...view, members }, watched);
    const { serial } = view;
    const seen = (userId: string, isOnline: boolean): UserSeen => ({
      kind: 'user_seen',
      userId,
      isOnline,
      serial,
    });
    for (const { userId } of added) this.#tell(hub, seen(userId, true));
    for (const { userId } of removed) this.#tell(hub, seen(userId, false));
    if (missed.length > 0) this.parts.onDoubt(hub);
  }

  /** Ends all watches of the subscriber. */
  end(subscriber: Subscriber, identity: Identity): void {
    const { hub } = subscriber;
    for (const userId of identity.watchlist) {
      if (!hub.watchers.remove(userId, subscriber)) continue;
      hub.watched.forget(userId);
      this.parts.interests.drop(hub.appId, watchChannel(userId));
    }
  }

  /** A user of an app went online or offline: notifies its watchers in all processes. */
  changed(change: PresenceChange): void {
    if (change.kind === 'updated') return;
    const isOnline = change.kind === 'added';
    const userId = change.kind === 'added' ? change.member.userId : change.userId;
    const { appId, serial } = change;
    const fact = { kind: 'user_seen', userId, isOnline, serial } as const;
    this.parts.announcements.announce({ appId, channel: watchChannel(userId), fact, exceptSocketId: null });
  }

  #tell(hub: AppHub, fact: UserSeen): void {
    const frames = new Frames(fact);
    for (const subscriber of hub.watchers.of(fact.userId)) {
      if (!hub.newWatchers.has(subscriber)) this.parts.outlet.sendOf(subscriber, frames);
    }
  }

  #watch(subscriber: Subscriber, userId: string): Promise<void> | undefined {
    const { interests } = this.parts;
    const { appId, watchers } = subscriber.hub;
    const isFirst = watchers.add(userId, subscriber);
    return isFirst
      ? interests.want(appId, watchChannel(userId))
      : interests.attempt(appId, watchChannel(userId));
  }
}

function divided(userIds: readonly string[], belongs: (userId: string) => boolean): [string[], string[]] {
  return [userIds.filter(belongs), userIds.filter((userId) => !belongs(userId))];
}
