import type { ChannelPattern } from '@carillon/channels';
import type { AppHub } from '../apps/app-hub.js';
import type { LoopShare } from '@carillon/runtime';
import { LiteralIndex } from '../channels/literal-index.js';
import { SlowConsumerCheck } from '../channels/slow-consumer-check.js';
import { Topic, type TopicWays } from '../channels/topic.js';
import { type Codec, type Frame, frameBytes, type Frames } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { Telling } from './deferred-telling.js';

/** Whether the evaluation of a codec may be deferred to a later turn of the event loop. */
export const isFiltered = (codec: Codec | undefined): boolean => codec?.isDeferred !== undefined;

/**
 * One pattern subscribed in this process. Subscribers that can receive a message by this pattern only are on native
 * topics, one per codec; those that may also receive it by a second pattern or by the channel itself are kept apart.
 */
export class LocalPattern {
  readonly #codecs = new Map<Subscriber, Codec>();
  readonly #apart = new Set<Subscriber>();
  readonly #topics = new Map<Codec, Topic>();
  readonly #index = new LiteralIndex<Topic>();
  readonly #lookout: SlowConsumerCheck;

  constructor(
    private readonly hub: AppHub,
    readonly about: ChannelPattern,
    private readonly ways: TopicWays,
  ) {
    this.#lookout = new SlowConsumerCheck(ways.outlet);
  }

  get isEmpty(): boolean {
    return this.#codecs.size === 0;
  }

  /** Subscribers that may also receive a message in another way. */
  get apart(): Iterable<Subscriber> {
    return this.#apart;
  }

  codecOf(subscriber: Subscriber): Codec | undefined {
    return this.#codecs.get(subscriber);
  }

  topicOf(subscriber: Subscriber): Topic | undefined {
    const codec = this.#codecs.get(subscriber);
    return codec === undefined || this.#apart.has(subscriber) ? undefined : this.#topics.get(codec);
  }

  /** Adds a subscriber with this codec. */
  put(subscriber: Subscriber, codec: Codec, isApart: boolean): void {
    this.remove(subscriber);
    this.#codecs.set(subscriber, codec);
    if (isApart) this.#apart.add(subscriber);
    else this.#open(subscriber, codec);
  }

  /** Returns false if it was not subscribed. */
  remove(subscriber: Subscriber): boolean {
    const codec = this.#codecs.get(subscriber);
    if (codec === undefined) return false;
    this.#codecs.delete(subscriber);
    if (!this.#apart.delete(subscriber)) this.#close(subscriber, codec);
    return true;
  }

  /** Moves a subscriber when it begins or ceases to receive messages in another way too. */
  place(subscriber: Subscriber, isApart: boolean): void {
    const codec = this.#codecs.get(subscriber);
    if (codec === undefined || this.#apart.has(subscriber) === isApart) return;
    if (isApart) {
      this.#close(subscriber, codec);
      this.#apart.add(subscriber);
    } else {
      this.#apart.delete(subscriber);
      this.#open(subscriber, codec);
    }
  }

  /** Whether any subscriber has such a codec. */
  some(isSuch: (codec: Codec) => boolean): boolean {
    for (const codec of this.#topics.keys()) if (isSuch(codec)) return true;
    for (const subscriber of this.#apart) {
      const codec = this.#codecs.get(subscriber);
      if (codec !== undefined && isSuch(codec)) return true;
    }
    return false;
  }

  /** The part of the event loop in which filters are evaluated; null: they are evaluated immediately. */
  get share(): LoopShare | null {
    return this.ways.filters ?? null;
  }

  /**
   * Delivers to the subscribers of the selected codecs, except one subscriber and those with several matching views.
   * Yields before each codec that has not evaluated the fact yet. Returns the number of receivers.
   */
  *telling(frames: Frames, except: Subscriber | null, isMeant: (codec: Codec) => boolean): Telling {
    let receivers = 0;
    const selected = this.#index.selected(frames.fact);
    for (const topic of this.#topics.values()) {
      if (!isMeant(topic.codec)) continue;
      if (selected?.has(topic) === false) {
        this.hub.meters.filtered(topic.count);
        continue;
      }
      if (!frames.has(topic.codec)) yield;
      receivers += this.#tellTopic(topic, frames, except);
    }
    this.#lookout.look(this.#topics.values());
    return receivers;
  }

  #tellTopic(topic: Topic, frames: Frames, except: Subscriber | null): number {
    const frame = frames.of(topic.codec);
    if (frame === null) {
      if (topic.codec.filters === true && frames.fact.kind === 'message')
        this.hub.meters.filtered(topic.count);
      return 0;
    }
    const { tap } = this.hub;
    if (tap !== null) tap.told(topic, frames, except);
    topic.tell(frame, except);
    this.#lookout.told(frameBytes(frame));
    return topic.count - Number(except !== null && topic.has(except));
  }

  /**
   * The filters are too far behind: drops for or closes the subscribers with a filter on this pattern or on a
   * channel, according to their bounds.
   */
  overflow(): void {
    for (const [subscriber, codec] of this.#codecs)
      if (
        isFiltered(codec) ||
        [...subscriber.subscriptions].some(({ audience }) => isFiltered(audience.codec))
      )
        this.ways.outlet.overflow(subscriber);
  }

  /** Sends a frame to one subscriber that is kept apart. */
  send(subscriber: Subscriber, frames: Frames, frame: Frame): void {
    const { tap } = this.hub;
    if (tap !== null) tap.sent(subscriber, frames.fact, frame);
    this.ways.outlet.sendFrame(subscriber, frame);
  }

  #open(subscriber: Subscriber, codec: Codec): void {
    let topic = this.#topics.get(codec);
    if (topic === undefined) {
      topic = new Topic(this.hub, this.about.name, codec, this.ways);
      this.#topics.set(codec, topic);
      this.#index.add(topic);
    }
    topic.add(subscriber);
    topic.open(subscriber);
  }

  #close(subscriber: Subscriber, codec: Codec): void {
    const topic = this.#topics.get(codec);
    topic?.remove(subscriber);
    if (topic?.count !== 0) return;
    this.#topics.delete(codec);
    this.#index.remove(topic);
  }
}
