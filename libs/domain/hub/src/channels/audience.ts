import type { Pace } from '../appends/pace.js';
import type { AppendWays } from '../appends/pacing.js';
import type { Codec, Frame } from '../codec.js';
import { frameBytes } from '../codec.js';
import type { Outlet } from '../delivery/outlet.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { LocalChannel, Subscription } from './local-channel.js';

/** Sends one frame to all sockets of a native topic. */
export type NativePublish = (topic: string, frame: Frame) => void;

/** How channels reach sockets. */
export interface Ways {
  readonly outlet: Outlet;
  readonly publish: NativePublish;
  /** How appends are held back and put together; null: they never are. */
  readonly appends: AppendWays | null;
}

/** Subscribers before they need a set. */
type Subscribers = Set<Subscriber> | Subscriber | null;

const numbers = new WeakMap<Codec, number>();
let codecs = 0;

/** A number for every codec there ever was in this process, so that topics of different frames never mix. */
function numberOf(codec: Codec): number {
  let number = numbers.get(codec);
  if (number === undefined) {
    codecs += 1;
    number = codecs;
    numbers.set(codec, number);
  }
  return number;
}

/** The subscribers of one channel who get the same frames, on a native topic of their own. */
export class Audience {
  /** What subscribers hold when they are no members. */
  readonly plain: Subscription;
  readonly #topic: string;
  #subscribers: Subscribers = null;
  #slow: Set<Subscriber> | null = null;

  constructor(
    channel: LocalChannel,
    readonly codec: Codec,
    private readonly ways: Ways,
    /** How they are told of appends; null: as they come. */
    readonly pace: Pace | null,
  ) {
    this.plain = { channel, audience: this, userId: null };
    this.#topic = `${numberOf(codec)}/${channel.hub.appId}/${channel.name}`;
  }

  get count(): number {
    const subscribers = this.#subscribers;
    if (subscribers === null) return 0;
    return subscribers instanceof Set ? subscribers.size : 1;
  }

  get subscribers(): Iterable<Subscriber> {
    const subscribers = this.#subscribers;
    if (subscribers === null) return [];
    return subscribers instanceof Set ? subscribers : [subscribers];
  }

  add(subscriber: Subscriber): void {
    const subscribers = this.#subscribers;
    if (subscribers === null) this.#subscribers = subscriber;
    else if (subscribers instanceof Set) subscribers.add(subscriber);
    else if (subscribers !== subscriber) this.#subscribers = new Set([subscribers, subscriber]);
  }

  remove(subscriber: Subscriber): void {
    const subscribers = this.#subscribers;
    if (subscribers instanceof Set) {
      subscribers.delete(subscriber);
      if (subscribers.size === 0) this.#subscribers = null;
    } else if (subscribers === subscriber) this.#subscribers = null;
    this.mute(subscriber);
  }

  /** Lets a subscriber receive. */
  open(subscriber: Subscriber): void {
    if (subscriber.lane === null) subscriber.socket?.subscribe(this.#topic);
    else this.#addSlow(subscriber);
  }

  /** Nothing more reaches the subscriber, until it is let receive again. */
  mute(subscriber: Subscriber): void {
    subscriber.socket?.unsubscribe(this.#topic);
    this.#removeSlow(subscriber);
  }

  becameSlow(subscriber: Subscriber): void {
    // One that is held back is on no topic, and joins the slow ones when its gate opens.
    if (subscriber.socket?.unsubscribe(this.#topic) === true) this.#addSlow(subscriber);
  }

  becameFast(subscriber: Subscriber): void {
    if (this.#removeSlow(subscriber)) subscriber.socket?.subscribe(this.#topic);
  }

  /** Hands everybody but one a frame; so many of them are held back and get it otherwise. */
  tell(frame: Frame, except: Subscriber | null, held: number): void {
    const { publish, outlet } = this.ways;
    // The native library leaves the publisher out by itself, if it is on the topic.
    const publisher = except?.socket?.isSubscribed(this.#topic) === true ? except.socket : null;
    const onTopic = this.count - (this.#slow?.size ?? 0) - held - Number(publisher !== null);
    this.plain.channel.hub.meters.sent(onTopic, frameBytes(frame));
    if (publisher === null) publish(this.#topic, frame);
    else publisher.publish(this.#topic, frame, typeof frame !== 'string', outlet.bounds.compress);
    if (this.#slow === null) return;
    for (const subscriber of this.#slow) if (subscriber !== except) outlet.queue(subscriber, frame);
  }

  #addSlow(subscriber: Subscriber): void {
    this.#slow ??= new Set();
    this.#slow.add(subscriber);
  }

  #removeSlow(subscriber: Subscriber): boolean {
    const removed = this.#slow?.delete(subscriber) === true;
    if (removed && this.#slow?.size === 0) this.#slow = null;
    return removed;
  }
}
