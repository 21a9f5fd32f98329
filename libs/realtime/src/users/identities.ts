import { serverToUserChannel } from '@carillon/channels';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { Identity } from './identity.js';
import type { Interests } from './interests.js';

/** Indexes connections by their user, and registers interest in their users with the broker. */
export class Identities {
  constructor(private readonly interests: Interests) {}

  /** A later sign-in replaces an earlier one. Undefined if events sent to the user reach this process already. */
  signedIn(subscriber: Subscriber, identity: Identity): Promise<void> | undefined {
    subscriber.isAuthorized = true;
    return this.#become(subscriber, identity, subscriber.presenceUserId);
  }

  /** The first presence channel defines the user of a subscriber that is not signed in. Undefined as above. */
  joinedAs(subscriber: Subscriber, userId: string): Promise<void> | undefined {
    if (subscriber.presenceUserId !== null) return undefined;
    return this.#become(subscriber, subscriber.identity, userId);
  }

  /** Removes the identity of the subscriber. */
  forget(subscriber: Subscriber): void {
    void this.#become(subscriber, null, null);
  }

  #become(
    subscriber: Subscriber,
    identity: Identity | null,
    presenceUserId: string | null,
  ): Promise<void> | undefined {
    const { hub, userId: before, identity: beforeIdentity } = subscriber;
    subscriber.identity = identity;
    subscriber.presenceUserId = presenceUserId;
    const { userId } = subscriber;
    hub.authenticated += Number(userId !== null) - Number(before !== null);
    hub.withMeta += Number(hasMeta(identity)) - Number(hasMeta(beforeIdentity));
    if (beforeIdentity !== null) hub.signedIn.remove(beforeIdentity.userId, subscriber);
    if (identity !== null) hub.signedIn.add(identity.userId, subscriber);
    if (userId === before) return undefined;
    const isFirst = userId !== null && hub.users.add(userId, subscriber);
    if (before !== null && hub.users.remove(before, subscriber)) {
      this.interests.drop(hub.appId, serverToUserChannel(before));
    }
    if (userId === null) return undefined;
    const channel = serverToUserChannel(userId);
    return isFirst ? this.interests.want(hub.appId, channel) : this.interests.attempt(hub.appId, channel);
  }
}

const hasMeta = (identity: Identity | null): boolean => identity !== null && identity.metaText !== null;
