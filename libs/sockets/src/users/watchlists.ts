import { ONLINE_USERS, type Presence, type PresenceChange } from '@carillon/presence';
import { watchlistEvents } from '@carillon/protocol';
import type { Publisher } from '@carillon/publishing';
import type { Connection } from '../connection/connection.js';
import type { Outlet } from '../delivery/outlet.js';
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
  readonly publisher: Publisher;
  readonly outlet: Outlet;
}

/** Tells connections which of the users they watch come and go. */
export class Watchlists {
  constructor(private readonly parts: WatchlistParts) {}

  /** Begins to watch whom the identity names, and tells who of them is there; before anything else about them. */
  async begin(connection: Connection, identity: Identity): Promise<void> {
    const { hub } = connection;
    const { watchlist } = identity;
    if (watchlist.length === 0) return;
    const attempts = watchlist.flatMap((userId) => this.#watch(connection, userId) ?? []);
    // What happens after the look at who is there must come here.
    if (attempts.length > 0) await Promise.all(attempts);
    const place = { appId: hub.appId, channel: ONLINE_USERS };
    const present = await this.parts.presence.present(place, watchlist);
    if (!connection.isOpen || connection.identity !== identity) return;
    const online = watchlist.filter((userId) => present.has(userId));
    const frame = watchlistEvents({ online, offline: watchlist.filter((userId) => !present.has(userId)) });
    if (frame !== null) this.parts.outlet.send(connection, frame);
  }

  /** Watches nobody any more. */
  end(connection: Connection, identity: Identity): void {
    const { hub } = connection;
    for (const userId of identity.watchlist) {
      if (hub.watchers.remove(userId, connection)) this.parts.interests.drop(hub.appId, watchChannel(userId));
    }
  }

  /** A user of an app came or went: whoever watches it hears so, on every process. */
  changed(change: PresenceChange): void {
    if (change.kind === 'updated') return;
    const isOnline = change.kind === 'added';
    const users = [isOnline ? change.member.userId : change.userId];
    const frame = watchlistEvents(isOnline ? { online: users, offline: [] } : { online: [], offline: users });
    const [userId] = users;
    if (frame === null || userId === undefined) return;
    this.parts.publisher.announce(change.appId, watchChannel(userId), frame, null);
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
