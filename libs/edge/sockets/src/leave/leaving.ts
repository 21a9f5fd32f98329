import { ONLINE_USERS, type Presence } from '@carillon/presence';
import type { Connection } from '../connection/connection.js';
import type { ChannelBook } from '../hub/channel-book.js';
import type { Subscription } from '../hub/local-channel.js';
import type { Identities } from '../users/identities.js';
import type { Watchlists } from '../users/watchlists.js';
import { leaveCause, mayComeBack } from './departure.js';

/** What leaving works with. */
export interface LeavingParts {
  readonly book: ChannelBook;
  readonly presence: Presence;
  readonly identities: Identities;
  readonly watchlists: Watchlists;
  /** How long the membership of a protocol 1 connection outlives it when it may come back. */
  readonly leaseMs: number;
  /** Told why the presence store could not be told. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Takes connections out of channels and off the list of online users. Nothing here rejects. */
export class Leaving {
  constructor(private readonly parts: LeavingParts) {}

  /** One channel, on purpose. Undefined when it was done at once. */
  channel(connection: Connection, subscription: Subscription): Promise<void> | undefined {
    const { channel, userId } = subscription;
    this.parts.book.leave(connection, channel);
    return userId === null ? undefined : this.member(connection, channel.name, userId);
  }

  /** One membership, at once or with a lease, as the end of the connection says; an open one has left on purpose. */
  async member(connection: Connection, channel: string, userId: string): Promise<void> {
    const { presence, leaseMs, onTrouble } = this.parts;
    const place = { appId: connection.hub.appId, channel, userId, socketId: connection.id };
    const lease = mayComeBack(connection) ? leaseMs : 0;
    try {
      await presence.leave(place, lease, leaveCause(connection));
    } catch (error) {
      onTrouble('presence leave', error);
    }
  }

  /** Everything, after the end: channels, then the online user. May run twice: the second time finds nothing. */
  async everything(connection: Connection): Promise<void> {
    const { identity } = connection;
    const subscriptions = [...connection.subscriptions];
    for (const { channel } of subscriptions) this.parts.book.leave(connection, channel);
    const memberships = subscriptions.flatMap(({ channel, userId }) =>
      userId === null ? [] : [this.member(connection, channel.name, userId)],
    );
    if (identity !== null) this.parts.watchlists.end(connection, identity);
    this.parts.identities.forget(connection);
    connection.hub.tokens.release(connection);
    await Promise.all(memberships);
    if (identity?.isOnline === true) await this.member(connection, ONLINE_USERS, identity.userId);
  }
}
