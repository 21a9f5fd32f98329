import { serverToUserChannel } from '@carillon/channels';
import type { Connection } from '../connection/connection.js';
import type { Identity } from './identity.js';
import type { Interests } from './interests.js';

/** The one place that files connections under the user they speak for, and tells the fabric who is here. */
export class Identities {
  constructor(private readonly interests: Interests) {}

  /** A later sign-in replaces an earlier one. Undefined when what is sent to the user comes here from now on. */
  signedIn(connection: Connection, identity: Identity): Promise<void> | undefined {
    connection.isAuthorized = true;
    return this.#become(connection, identity, connection.presenceUserId);
  }

  /** The first presence channel speaks for a connection that is not signed in. Undefined as above. */
  joinedAs(connection: Connection, userId: string): Promise<void> | undefined {
    if (connection.presenceUserId !== null) return undefined;
    return this.#become(connection, connection.identity, userId);
  }

  /** The connection speaks for nobody any more. */
  forget(connection: Connection): void {
    void this.#become(connection, null, null);
  }

  #become(
    connection: Connection,
    identity: Identity | null,
    presenceUserId: string | null,
  ): Promise<void> | undefined {
    const { hub, userId: before, identity: beforeIdentity } = connection;
    connection.identity = identity;
    connection.presenceUserId = presenceUserId;
    const { userId } = connection;
    hub.authenticated += Number(userId !== null) - Number(before !== null);
    hub.withMeta += Number(hasMeta(identity)) - Number(hasMeta(beforeIdentity));
    if (beforeIdentity !== null) hub.signedIn.remove(beforeIdentity.userId, connection);
    if (identity !== null) hub.signedIn.add(identity.userId, connection);
    if (userId === before) return undefined;
    const isFirst = userId !== null && hub.users.add(userId, connection);
    if (before !== null && hub.users.remove(before, connection)) {
      this.interests.drop(hub.appId, serverToUserChannel(before));
    }
    if (userId === null) return undefined;
    const channel = serverToUserChannel(userId);
    return isFirst ? this.interests.want(hub.appId, channel) : this.interests.attempt(hub.appId, channel);
  }
}

const hasMeta = (identity: Identity | null): boolean => identity !== null && identity.metaText !== null;
