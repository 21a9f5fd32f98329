import { type LeaveCause, ONLINE_USERS, type Presence } from '@carillon/presence';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { ChannelBook } from '../channels/channel-book.js';
import type { Subscription } from '../channels/audience.js';
import { viewOf } from '../channels/views.js';
import type { PatternBook } from '../patterns/pattern-book.js';
import type { Identities } from '../users/identities.js';
import type { Watchlists } from '../users/watchlists.js';
import { isSentElsewhere, leaveCause, mayComeBack } from './departure.js';
import { Turns } from './turns.js';

/** Dependencies of `Leaving`. */
export interface LeavingParts {
  readonly book: ChannelBook;
  readonly presence: Presence;
  readonly patterns: Pick<PatternBook, 'leaveAll'>;
  readonly identities: Identities;
  readonly watchlists: Watchlists;
  /** Minimum lease of a membership whose connection this process sent to another one. */
  readonly elsewhereLeaseMs: number;
  /** Notified of failed presence store updates. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Removes connections from channels and from the online users. No method rejects. */
export class Leaving {
  readonly #turns = new Turns();

  constructor(private readonly parts: LeavingParts) {}

  /** Unsubscribes from one channel. Returns undefined if it completed synchronously. */
  channel(subscriber: Subscriber, subscription: Subscription, cause?: LeaveCause): Promise<void> | undefined {
    const { channel, userId } = subscription;
    this.parts.book.leave(subscriber, channel);
    return userId === null ? undefined : this.member(subscriber, channel.name, userId, cause);
  }

  /**
   * Unsubscribes from one view of a channel, or from the channel if it is the only one. Returns undefined if it
   * completed synchronously.
   */
  view(
    subscriber: Subscriber,
    subscription: Subscription,
    view: string | undefined,
  ): Promise<void> | undefined {
    if (viewOf(subscription, view) === undefined) return undefined;
    if (subscription.others.length === 0) return this.channel(subscriber, subscription);
    subscription.channel.removeView(subscriber, view);
    return undefined;
  }

  /**
   * Ends one membership, immediately or with a lease, depending on how the subscriber was closed; for an open one
   * immediately.
   */
  async member(
    subscriber: Subscriber,
    channel: string,
    userId: string,
    cause: LeaveCause = leaveCause(subscriber),
  ): Promise<void> {
    const { presence, onTrouble } = this.parts;
    const place = { appId: subscriber.hub.appId, channel, userId, socketId: subscriber.id };
    try {
      await presence.leave(place, this.#leaseMs(subscriber, channel), cause);
    } catch (error) {
      onTrouble('presence leave', error);
    }
  }

  /**
   * Only users with open connections are online: leases are for members, unless this process sent the client to
   * another one.
   */
  #leaseMs(subscriber: Subscriber, channel: string): number {
    if (!mayComeBack(subscriber)) return 0;
    const leaseMs = channel === ONLINE_USERS ? 0 : subscriber.edge.leaseMs;
    return isSentElsewhere(subscriber) ? Math.max(leaseMs, this.parts.elsewhereLeaseMs) : leaseMs;
  }

  /**
   * Ends all state of a closed subscriber: channels, some per turn of the loop, then the online user. May run
   * concurrently: what one run has removed, the other does not find.
   */
  async everything(subscriber: Subscriber): Promise<void> {
    const { identity } = subscriber;
    const left: Subscription[] = [];
    this.parts.patterns.leaveAll(subscriber);
    for (const subscription of subscriber.subscriptions) {
      const turn = this.#turns.step();
      if (turn !== undefined) await turn;
      if (subscriber.subscriptionOf(subscription.channel) === undefined) continue;
      this.parts.book.leave(subscriber, subscription.channel);
      left.push(subscription);
    }
    const memberships: Promise<void>[] = [];
    for (const { channel, userId } of left) {
      if (userId === null) continue;
      const turn = this.#turns.step();
      if (turn !== undefined) await turn;
      memberships.push(this.member(subscriber, channel.name, userId));
    }
    if (identity !== null) this.parts.watchlists.end(subscriber, identity);
    this.parts.identities.forget(subscriber);
    subscriber.hub.tokens.release(subscriber);
    await Promise.all(memberships);
    if (identity?.isOnline === true) await this.member(subscriber, ONLINE_USERS, identity.userId);
  }
}
