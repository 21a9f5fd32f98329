import type { OrdinaryChannel } from '@carillon/channels';
import type { Broker } from '@carillon/broker';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { AppHub } from '../apps/app-hub.js';
import type { Hubs } from '../apps/hubs.js';
import type { Codec } from '../codec.js';
import type { MetaWatch } from '../meta/meta-watch.js';
import type { Ways } from './audience.js';
import { Lingering } from './lingering.js';
import { LocalChannel } from './local-channel.js';
import { channelEntered, placeAnew } from '../patterns/placing.js';
import { Roster } from '../state/roster.js';

/** Called when a channel gains or loses a subscriber in this process, possibly its last one. */
export type CountObserver = (channel: LocalChannel) => void;

/** Notified which channels this process subscribes to. */
export interface ChannelFollower {
  /** The events of the channel are delivered to this process from now on. */
  follow(channel: LocalChannel): void;
  leave(channel: LocalChannel): void;
}

/**
 * Keeps a channel open in this process while it has a subscriber or a pending one, and registers interest in it with
 * the broker. The channel lingers after the last subscriber left if it can be recovered.
 */
export class ChannelBook {
  /** Whether the time of each subscription is recorded, for the management API. */
  recordsTimes = false;
  #observer: CountObserver = () => {};
  readonly #lingering = new Lingering((channel) => this.#end(channel));

  constructor(
    private readonly hubs: Hubs,
    private readonly broker: Broker,
    private readonly ways: Ways,
    private readonly follower: ChannelFollower,
    private readonly metaWatch: Pick<MetaWatch, 'begin' | 'end'>,
    /** Whether this is the only process, so that no other one reports changes of members. */
    private readonly isAlone: boolean,
  ) {}

  observe(observer: CountObserver): void {
    this.#observer = observer;
  }

  /** Returns the channel, open at least until its next `settle`. */
  open(hub: AppHub, about: OrdinaryChannel): LocalChannel {
    const found = hub.channels.get(about.name);
    if (found !== undefined) return found;
    const roster = about.traits.members && !this.isAlone ? new Roster() : null;
    const channel = new LocalChannel(hub, about, this.ways, roster);
    hub.channels.set(about.name, channel);
    const isStillWanted = this.#lingering.take(hub.appId, about.name);
    const interest = both(
      isStillWanted ? undefined : this.broker.subscribe(hub.appId, about.name),
      this.metaWatch.begin(hub.appId, about.name),
    );
    if (interest === undefined) this.follower.follow(channel);
    else this.#followOnce(channel, interest);
    return channel;
  }

  #followOnce(channel: LocalChannel, interest: Promise<void>): void {
    channel.waitFor(interest);
    const follow = (): void => {
      if (channel.hub.channels.get(channel.name) === channel) this.follower.follow(channel);
    };
    // Events may arrive even without the broker's confirmation.
    interest.then(follow, follow);
  }

  /** Closes a channel without subscribers or pending subscribers. */
  settle(channel: LocalChannel): void {
    if (channel.count > 0 || channel.openings > 0) return;
    const { hub, name } = channel;
    if (hub.channels.get(name) !== channel) return;
    hub.channels.delete(name);
    hub.pacings.left(name, !hub.patterns.areNone);
    this.metaWatch.end(hub.appId, name);
    if (!this.#lingering.keep(channel)) this.#end(channel);
  }

  /** Ends the delivery of its events to this process. */
  #end(channel: LocalChannel): void {
    const { hub, name } = channel;
    this.broker.unsubscribe(hub.appId, name);
    this.follower.leave(channel);
    this.hubs.release(hub);
  }

  stop(): void {
    this.#lingering.stop();
  }

  /** Adds a subscriber. Delivery to it begins with `LocalChannel.open` or the release of its gate. */
  enter(
    subscriber: Subscriber,
    channel: LocalChannel,
    userId: string | null,
    codec: Codec = subscriber.codec,
  ): void {
    // Held-back facts precede the subscription: they reach this subscriber by its patterns, not by the channel.
    if (subscriber.patterns !== null) channel.flush();
    channel.add(subscriber, userId, codec);
    if (subscriber.patterns !== null) channelEntered(subscriber, channel.about);
    if (channel.about.traits.signed) subscriber.isAuthorized = true;
    const meters = channel.hub.meters.kind(channel.about.kind);
    meters.subscriptions.add();
    if (channel.count === 1) meters.channels.add();
    if (this.recordsTimes) (subscriber.subscribedMs ??= new Map()).set(channel.name, performance.now());
    const { tap } = channel.hub;
    if (tap !== null) tap.subscribed(subscriber, channel.name);
    this.#observer(channel);
  }

  /** Removes a subscriber and closes the channel if it is unused. */
  leave(subscriber: Subscriber, channel: LocalChannel): void {
    channel.remove(subscriber);
    if (subscriber.patterns !== null && subscriber.isOpen) placeAnew(subscriber);
    subscriber.attached(channel.name, null);
    const meters = channel.hub.meters.kind(channel.about.kind);
    meters.unsubscriptions.add();
    if (channel.count === 0) meters.channels.subtract();
    subscriber.subscribedMs?.delete(channel.name);
    const { tap } = channel.hub;
    if (tap !== null) tap.unsubscribed(subscriber, channel.name);
    this.#observer(channel);
    this.settle(channel);
  }
}

/** Returns a promise of both; undefined if neither is pending. */
function both(one: Promise<void> | undefined, other: Promise<void> | undefined): Promise<void> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return afterBoth(one, other);
}

async function afterBoth(one: Promise<void>, other: Promise<void>): Promise<void> {
  await Promise.all([one, other]);
}
