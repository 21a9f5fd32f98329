import type { ChannelPattern } from '@carillon/channels';
import type { AppHub } from '../apps/app-hub.js';
import { Lookout } from '../channels/lookout.js';
import { Topic, type TopicWays } from '../channels/topic.js';
import { type Codec, type Frame, frameBytes, type Frames } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';

/**
 * One pattern that somebody in this process has. Those whom nothing but it can bring a message are on native topics, one
 * for each codec; those who may get it in another way too, by a second pattern or by the channel itself, are apart.
 */
export class LocalPattern {
  readonly #codecs = new Map<Subscriber, Codec>();
  readonly #apart = new Set<Subscriber>();
  readonly #topics = new Map<Codec, Topic>();
  readonly #lookout: Lookout;

  constructor(
    private readonly hub: AppHub,
    readonly about: ChannelPattern,
    private readonly ways: TopicWays,
  ) {
    this.#lookout = new Lookout(ways.outlet);
  }

  get isEmpty(): boolean {
    return this.#codecs.size === 0;
  }

  /** Those who may get a message in another way too. */
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

  /** It receives from now on, in this codec. */
  put(subscriber: Subscriber, codec: Codec, isApart: boolean): void {
    this.remove(subscriber);
    this.#codecs.set(subscriber, codec);
    if (isApart) this.#apart.add(subscriber);
    else this.#open(subscriber, codec);
  }

  /** False: it has not got it. */
  remove(subscriber: Subscriber): boolean {
    const codec = this.#codecs.get(subscriber);
    if (codec === undefined) return false;
    this.#codecs.delete(subscriber);
    if (!this.#apart.delete(subscriber)) this.#close(subscriber, codec);
    return true;
  }

  /** It may get messages in another way too from now on, or not any more. */
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

  /** Whether anybody has it in such a codec. */
  some(isSuch: (codec: Codec) => boolean): boolean {
    for (const codec of this.#topics.keys()) if (isSuch(codec)) return true;
    for (const subscriber of this.#apart) {
      const codec = this.#codecs.get(subscriber);
      if (codec !== undefined && isSuch(codec)) return true;
    }
    return false;
  }

  /** Tells everybody who is not apart and has it in a codec that is meant, but one. Returns how many. */
  tell(frames: Frames, except: Subscriber | null, isMeant: (codec: Codec) => boolean): number {
    let receivers = 0;
    for (const topic of this.#topics.values()) {
      if (!isMeant(topic.codec)) continue;
      const frame = frames.of(topic.codec);
      if (frame === null) {
        if (topic.codec.filters === true && frames.fact.kind === 'message')
          this.hub.meters.filtered(topic.count);
        continue;
      }
      topic.tell(frame, except);
      receivers += topic.count - Number(except !== null && topic.has(except));
      this.#lookout.told(frameBytes(frame));
    }
    this.#lookout.look(this.#topics.values());
    return receivers;
  }

  /** Tells one who is apart. */
  send(subscriber: Subscriber, frame: Frame): void {
    this.ways.outlet.sendFrame(subscriber, frame);
  }

  #open(subscriber: Subscriber, codec: Codec): void {
    const topic = this.#topics.get(codec) ?? new Topic(this.hub, this.about.name, codec, this.ways);
    this.#topics.set(codec, topic);
    topic.add(subscriber);
    topic.open(subscriber);
  }

  #close(subscriber: Subscriber, codec: Codec): void {
    const topic = this.#topics.get(codec);
    topic?.remove(subscriber);
    if (topic?.count === 0) this.#topics.delete(codec);
  }
}
