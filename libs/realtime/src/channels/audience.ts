import type { AppendPace } from '../appends/append-pace.js';
import type { AppendWays } from '../appends/append-throttle.js';
import type { Told } from '../appends/told.js';
import type { Codec } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { DeferredMessages } from './deferred-messages.js';
import type { LocalChannel } from './local-channel.js';
import { Topic, type TopicWays } from './topic.js';

/** Delivery settings of channels. */
export interface Ways extends TopicWays {
  /** Append delivery settings; null disables pacing of appends. */
  readonly appends: AppendWays | null;
}

/**
 * A subscriber's subscription to one channel. Subscribers of one audience without a member id or other views share
 * one object.
 */
export interface Subscription {
  readonly channel: LocalChannel;
  readonly audience: Audience;
  /** Audiences of further views, if it subscribes to several views of the channel. */
  readonly others: readonly Audience[];
  /** User id of its member on a presence channel; null on any other. */
  readonly userId: string | null;
}

const NO_OTHERS: readonly Audience[] = [];

/** The subscribers of one channel that receive the same frames. */
export class Audience extends Topic {
  /** Shared subscription of subscribers that are not members and have this view alone. */
  readonly plain: Subscription;
  /** Messages whose filter evaluation was deferred; null until the first one. */
  deferred: DeferredMessages<Subscriber> | null = null;

  constructor(
    channel: LocalChannel,
    codec: Codec,
    ways: Ways,
    /** AppendPace of appends; null delivers them unpaced. */
    readonly pace: AppendPace | null,
  ) {
    super(channel.hub, channel.name, codec, ways);
    this.plain = { channel, audience: this, others: NO_OTHERS, userId: null };
  }

  /** Whether messages wait for the evaluation of its filter. */
  get isBehind(): boolean {
    return this.deferred !== null && this.deferred.size > 0;
  }

  /** Number of subscribers that begin to receive behind the waiting messages. */
  get openings(): number {
    return this.deferred?.openings ?? 0;
  }

  /** Lets a subscriber receive later messages. */
  override open(subscriber: Subscriber): void {
    if (this.deferred?.openBehind(subscriber) !== true) super.open(subscriber);
  }

  /** Lets a subscriber receive after the messages that it waited behind were sent. */
  openBehind(subscriber: Subscriber): void {
    this.codec.renew?.();
    super.open(subscriber);
  }

  /** Whether a subscriber receives current messages, or those behind the waiting ones. */
  receives(subscriber: Subscriber): boolean {
    return this.deferred?.isOpening(subscriber) === true || this.isOpen(subscriber);
  }

  override mute(subscriber: Subscriber): void {
    this.deferred?.leave(subscriber);
    super.mute(subscriber);
  }

  /** Returns the messages that a subscriber gets as soon as its filter is evaluated, in order. */
  untold(subscriber: Subscriber): readonly Told[] {
    const { deferred } = this;
    if (deferred === null || deferred.size === 0) return [];
    return this.receives(subscriber) ? deferred.of(subscriber) : [];
  }
}
