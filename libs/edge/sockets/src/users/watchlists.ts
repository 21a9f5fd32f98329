import { ONLINE_USERS, type Presence, type PresenceChange } from '@carillon/presence';
import { type OutboundFrame, watchlistEvents } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { Announcements } from '../delivery/announcements.js';
import type { Outlet } from '../delivery/outlet.js';
import type { AppHub } from '../hub/app-hub.js';
import type { Identity } from './identity.js';
import type { Interests } from './interests.js';

const PREFIX = '#watchers of ';

/** The channel that tells of one user's coming and going. The spaces keep it apart from every name of a client. */
export const watchChannel = (userId: string): string => `${PREFIX}${userId}`;

/** The user a channel tells of; null for every other channel. */
export const watchedUser = (channel: string): string | null =>
  channel.startsWith(PREFIX) ? channel.slice(PREFIX.length) : null;

/** What watching works with. */
export interface WatchlistParts {
  readonly interests: Interests;
  readonly presence: Presence;
  readonly announcements: Pick<Announcements, 'announce'>;
  readonly outlet: Outlet;
  /** Told when it has to be looked again who of the watched is there. */
  readonly onDoubt: (hub: AppHub) => void;
}

/** Tells connections which of the users they watch come and go. */
export class Watchlists {
  constructor(private readonly parts: WatchlistParts) {}

  /** Begins to watch whom the identity names, and tells who of them is there; before anything else about them. */
  async begin(connection: Connection, identity: Identity): Promise<void> {
    const { hub } = connection;
    const { watchlist } = identity;
    if (watchlist.length === 0) return;
    hub.newWatchers.add(connection);
    try {
      const attempts = watchlist.flatMap((userId) => this.#watch(connection, userId) ?? []);
      // What happens after the look at who is there must come here.
      if (attempts.length > 0) await Promise.all(attempts);
      await this.look(hub, watchlist);
      if (!connection.isOpen || connection.identity !== identity) return;
      const [online, offline] = divided(watchlist, (userId) => hub.watched.has(userId));
      const frame = watchlistEvents({ online, offline });
      if (frame !== null) this.parts.outlet.send(connection, frame);
    } finally {
      hub.newWatchers.delete(connection);
    }
  }

  /** Asks the store who of them is there, and tells watchers what nobody has told. */
  async look(hub: AppHub, userIds: readonly string[]): Promise<void> {
    const place = { appId: hub.appId, channel: ONLINE_USERS };
    const view = await this.parts.presence.look(place, userIds);
    const watched = userIds.filter((userId) => hub.watchers.has(userId));
    const members = view.members.filter(({ userId }) => hub.watchers.has(userId));
    const { added, removed, missed } = hub.watched.compare({ ...view, members }, watched);
    for (const { userId } of added) this.#tell(hub, userId, true);
    for (const userId of removed) this.#tell(hub, userId, false);
    if (missed.length > 0) this.parts.onDoubt(hub);
  }

  /** Watches nobody any more. */
  end(connection: Connection, identity: Identity): void {
    const { hub } = connection;
    for (const userId of identity.watchlist) {
      if (!hub.watchers.remove(userId, connection)) continue;
      hub.watched.forget(userId);
      this.parts.interests.drop(hub.appId, watchChannel(userId));
    }
  }

  /** A user of an app came or went: whoever watches it hears so, on every process. */
  changed(change: PresenceChange): void {
    if (change.kind === 'updated') return;
    const isPresent = change.kind === 'added';
    const userId = change.kind === 'added' ? change.member.userId : change.userId;
    const frame = onlineFrame(userId, isPresent);
    if (frame === null) return;
    const { appId, serial } = change;
    const standing = { userId, isPresent, serial };
    const channel = watchChannel(userId);
    this.parts.announcements.announce({ appId, channel, frame, exceptSocketId: null, standing });
  }

  #tell(hub: AppHub, userId: string, isOnline: boolean): void {
    const frame = onlineFrame(userId, isOnline);
    if (frame === null) return;
    for (const connection of hub.watchers.of(userId)) {
      if (!hub.newWatchers.has(connection)) this.parts.outlet.send(connection, frame);
    }
  }

  #watch(connection: Connection, userId: string): Promise<void> | undefined {
    const { interests } = this.parts;
    const { appId, watchers } = connection.hub;
    const isFirst = watchers.add(userId, connection);
    return isFirst
      ? interests.want(appId, watchChannel(userId))
      : interests.attempt(appId, watchChannel(userId));
  }
}

const onlineFrame = (userId: string, isOnline: boolean): OutboundFrame | null =>
  watchlistEvents(isOnline ? { online: [userId], offline: [] } : { online: [], offline: [userId] });

function divided(userIds: readonly string[], belongs: (userId: string) => boolean): [string[], string[]] {
  return [userIds.filter(belongs), userIds.filter((userId) => !belongs(userId))];
}
