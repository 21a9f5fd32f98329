import { serverToUserChannel } from '@carillon/channels';
import type { Fabric } from '@carillon/fabric';
import type { Connection } from '../connection/connection.js';
import type { Identity } from './identity.js';

/** The one place that files connections under the user they speak for, and tells the fabric who is here. */
export class Identities {
  constructor(
    private readonly fabric: Fabric,
    private readonly onTrouble: (what: string, error: unknown) => void,
  ) {}

  /** A later sign-in replaces an earlier one. */
  signedIn(connection: Connection, identity: Identity): void {
    connection.isAuthorized = true;
    this.#become(connection, identity, connection.presenceUserId);
  }

  /** The first presence channel speaks for a connection that is not signed in. */
  joinedAs(connection: Connection, userId: string): void {
    if (connection.presenceUserId === null) this.#become(connection, connection.identity, userId);
  }

  /** The connection speaks for nobody any more. */
  forget(connection: Connection): void {
    this.#become(connection, null, null);
  }

  #become(connection: Connection, identity: Identity | null, presenceUserId: string | null): void {
    const { hub, userId: before, identity: beforeIdentity } = connection;
    connection.identity = identity;
    connection.presenceUserId = presenceUserId;
    const { userId } = connection;
    hub.authenticated += Number(userId !== null) - Number(before !== null);
    hub.withMeta += Number(hasMeta(identity)) - Number(hasMeta(beforeIdentity));
    if (beforeIdentity !== null) hub.signedIn.remove(beforeIdentity.userId, connection);
    if (identity !== null) hub.signedIn.add(identity.userId, connection);
    if (userId === before) return;
    if (userId !== null && hub.users.add(userId, connection)) this.#want(hub.appId, userId);
    if (before !== null && hub.users.remove(before, connection)) {
      this.fabric.unsubscribe(hub.appId, serverToUserChannel(before));
    }
  }

  #want(appId: string, userId: string): void {
    const interest = this.fabric.subscribe(appId, serverToUserChannel(userId));
    interest?.catch((error: unknown) => this.onTrouble('interest in a user', error));
  }
}

const hasMeta = (identity: Identity | null): boolean => identity !== null && identity.metaText !== null;
