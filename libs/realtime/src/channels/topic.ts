import type { LoopShare } from '@carillon/runtime';
import type { AppHub } from '../apps/app-hub.js';
import { type Codec, type Frame, frameBytes } from '../codec.js';
import type { HttpTopics } from '../delivery/http-topics.js';
import type { Outlet } from '../delivery/outlet.js';
import type { Subscriber } from '../subscriber/subscriber.js';

/** Sends one frame to all sockets of a native topic. */
export type NativePublish = (topic: string, frame: Frame) => void;

/** Means by which frames reach the sockets of topics. */
export interface TopicWays {
  readonly outlet: Outlet;
  readonly publish: NativePublish;
  /** Topics of subscribers without a WebSocket. Absent if there are none. */
  readonly http?: HttpTopics;
  /** Event loop share in which filters are evaluated. Absent: they are evaluated synchronously. */
  readonly filters?: LoopShare;
}

/** Subscribers; stored without a set while there is one. */
type Subscribers = Set<Subscriber> | Subscriber | null;

const numbers = new WeakMap<Codec, number>();
let codecs = 0;

/** Returns a process-wide unique number of a codec, so that topics of different frames never collide. */
function numberOf(codec: Codec): number {
  let number = numbers.get(codec);
  if (number === undefined) {
    codecs += 1;
    number = codecs;
    numbers.set(codec, number);
  }
  return number;
}

/** Subscribers that receive the same frames of a channel or a pattern, on one native topic. */
export class Topic {
  readonly #name: string;
  readonly hub: AppHub;
  readonly #ways: TopicWays;
  #subscribers: Subscribers = null;
  /** Subscribers that are served individually: slow ones, and those whose socket is on no native topic. */
  #single: Set<Subscriber> | null = null;
  /** Number of frames published on the native topic. */
  #told = 0;
  /** Time of the last frame published to all of its subscribers, on the clock of `performance`; 0: never. */
  toldMs = 0;

  constructor(
    hub: AppHub,
    /** Topic name of the channel or pattern; cannot collide with a channel name. */
    name: string,
    readonly codec: Codec,
    ways: TopicWays,
  ) {
    this.hub = hub;
    this.#ways = ways;
    this.#name = `${numberOf(codec)}/${hub.appId}/${name}`;
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

  has(subscriber: Subscriber): boolean {
    const subscribers = this.#subscribers;
    return subscribers instanceof Set ? subscribers.has(subscriber) : subscribers === subscriber;
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

  /** Whether a subscriber receives. */
  isOpen(subscriber: Subscriber): boolean {
    return this.#single?.has(subscriber) === true || subscriber.socket?.isSubscribed(this.#name) === true;
  }

  /** Starts delivery to a subscriber. */
  open(subscriber: Subscriber): void {
    if (subscriber.lane !== null || subscriber.socket?.isDirect === true) this.#addSingle(subscriber);
    else this.#subscribe(subscriber);
  }

  /** Stops delivery to a subscriber until it is opened again. */
  mute(subscriber: Subscriber): void {
    this.#unsubscribe(subscriber);
    this.#removeSingle(subscriber);
  }

  becameSlow(subscriber: Subscriber): void {
    // One that is held back is on no topic, and joins the slow ones when its gate opens.
    if (this.#unsubscribe(subscriber)) this.#addSingle(subscriber);
  }

  becameFast(subscriber: Subscriber): void {
    if (subscriber.socket?.isDirect === true) return;
    if (this.#removeSingle(subscriber)) this.#subscribe(subscriber);
  }

  /** Number of frames a subscriber received by the native topic beyond its own count. */
  toldTo(subscriber: Subscriber): number {
    return subscriber.socket?.isSubscribed(this.#name) === true ? this.#told : 0;
  }

  /**
   * Publishes a frame to all subscribers but one; `held` is the number of gated subscribers, which receive it
   * otherwise.
   */
  tell(frame: Frame, except: Subscriber | null, held = 0): void {
    const { publish, outlet, http } = this.#ways;
    // The native library excludes the publisher if it is subscribed to the topic.
    const publisher = except?.socket?.isSubscribed(this.#name) === true ? except.socket : null;
    const onTopic = this.count - (this.#single?.size ?? 0) - held - Number(publisher !== null);
    if (except === null && held === 0) this.toldMs = performance.now();
    this.hub.meters.sent(onTopic, frameBytes(frame));
    this.#told += 1;
    if (publisher !== null && except !== null) except.sent -= 1;
    if (publisher === null) publish(this.#name, frame);
    else publisher.publish(this.#name, frame, typeof frame !== 'string', outlet.bounds.compress);
    http?.publish(this.#name, frame, publisher);
    if (this.#single === null) return;
    for (const subscriber of this.#single) if (subscriber !== except) outlet.sendFrame(subscriber, frame);
  }

  /** Offsets the subscriber's count by the frames published before it joined. */
  #subscribe(subscriber: Subscriber): void {
    if (subscriber.socket?.subscribe(this.#name) === true) subscriber.sent -= this.#told;
  }

  #unsubscribe(subscriber: Subscriber): boolean {
    const wasOn = subscriber.socket?.unsubscribe(this.#name) === true;
    if (wasOn) subscriber.sent += this.#told;
    return wasOn;
  }

  #addSingle(subscriber: Subscriber): void {
    this.#single ??= new Set();
    this.#single.add(subscriber);
  }

  #removeSingle(subscriber: Subscriber): boolean {
    const removed = this.#single?.delete(subscriber) === true;
    if (removed && this.#single?.size === 0) this.#single = null;
    return removed;
  }
}
