import type { ChannelPattern, Channels, OrdinaryChannel } from '@carillon/channels';
import type { Fabric, LiveEvent } from '@carillon/fabric';
import type { AppHub } from '../apps/app-hub.js';
import type { Hubs } from '../apps/hubs.js';
import type { TopicWays } from '../channels/topic.js';
import type { Codec, Frames } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import { LocalPattern } from './local-pattern.js';
import { placeAnew } from './placing.js';

/** What patterns work with. */
export interface PatternBookParts {
  readonly hubs: Hubs;
  readonly fabric: Pick<Fabric, 'subscribeAll' | 'unsubscribeAll'>;
  readonly ways: TopicWays;
  readonly channels: Channels;
  /** Channels and patterns one subscriber may have. */
  readonly maxSubscriptions: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A wish for a pattern that its edge has let through. */
export interface PatternRequest {
  readonly subscriber: Subscriber;
  readonly pattern: ChannelPattern;
  readonly codec: Codec;
  /** Called once, instead of `subscribed`, when it comes to nothing. */
  readonly refused: (why: 'too_many' | 'unreachable') => void;
  /** Tells what follows `subscribed`. */
  readonly settled: () => void;
}

/** Where a message was published, and whose socket must not get it. */
type Published = Pick<LiveEvent, 'channel' | 'exceptSocketId'>;

/** Who got a message by a pattern. */
export interface PatternDelivery {
  readonly about: OrdinaryChannel;
  readonly receivers: number;
}

/**
 * Subscriptions to whatever public channels a pattern fits. They make nobody a subscriber of those channels: nothing is
 * counted and nobody is told. One process hears every channel of an app as long as somebody here has a pattern of it.
 */
export class PatternBook {
  /** Told of an app when nobody here has a pattern of it any more. */
  onLast: (appId: string) => void = () => {};

  constructor(private readonly parts: PatternBookParts) {}

  /** Undefined when it was done at once; the promise never rejects. */
  join(request: PatternRequest): Promise<void> | undefined {
    const { subscriber, pattern, refused } = request;
    const { hub, subscriptions, joining } = subscriber;
    const has = subscriber.patterns?.has(pattern.name) === true;
    const held = subscriptions.size + joining + (subscriber.patterns?.size ?? 0);
    if (!has && held >= this.parts.maxSubscriptions) {
      refused('too_many');
      return undefined;
    }
    const { patterns } = hub;
    if (!patterns.isWanted) this.#want(hub);
    if (patterns.interest !== undefined) return this.#joinLater(request);
    this.#enter(request);
    return undefined;
  }

  leave(subscriber: Subscriber, name: string): void {
    const pattern = subscriber.patterns?.get(name);
    if (pattern === undefined) return;
    const { hub } = subscriber;
    subscriber.patterns?.delete(name);
    pattern.remove(subscriber);
    hub.patterns.settle(pattern);
    if (subscriber.isOpen) placeAnew(subscriber);
    hub.meters.kind('public').unsubscriptions.add();
    this.#settle(hub);
  }

  leaveAll(subscriber: Subscriber): void {
    for (const name of subscriber.patterns?.keys() ?? []) this.leave(subscriber, name);
  }

  /** Whether somebody here has a pattern that fits the channel. */
  covers(hub: AppHub, channel: string): boolean {
    const about = hub.patterns.areNone ? null : this.#about(hub, channel);
    return about !== null && hub.patterns.covering(about).length > 0;
  }

  /**
   * Hands a message, or what is said of one, to everybody who has a pattern that fits, once, but to who has got it by the
   * channel itself. `frames` are those that the channel was told with. Returns the channel with how many; null: nobody has
   * such a pattern.
   */
  deliver(
    hub: AppHub,
    { channel, exceptSocketId }: Published,
    frames: Frames,
    known: OrdinaryChannel | null,
  ): PatternDelivery | null {
    const about = known ?? this.#about(hub, channel);
    const covering = about === null ? [] : hub.patterns.covering(about);
    if (about === null || covering.length === 0) return null;
    const except = exceptSocketId === null ? null : hub.subscriber(exceptSocketId);
    const served = new Set<Subscriber>();
    let receivers = 0;
    for (const pattern of covering) {
      receivers += pattern.tell(frames, except);
      for (const subscriber of pattern.apart) {
        const codec = pattern.codecOf(subscriber);
        if (codec === undefined || subscriber === except || served.has(subscriber)) continue;
        const exact = subscriber.subscriptions.get(channel)?.audience.codec;
        const hasIt = exact !== undefined && frames.of(exact.held ?? exact) !== null;
        const frame = hasIt ? null : frames.of(codec);
        if (frame === null) continue;
        served.add(subscriber);
        this.parts.ways.outlet.sendFrame(subscriber, frame);
      }
    }
    return { about, receivers: receivers + served.size };
  }

  #enter({ subscriber, pattern, codec, settled }: PatternRequest): void {
    const { hub } = subscriber;
    const { ways } = this.parts;
    subscriber.patterns ??= new Map();
    if (!subscriber.patterns.has(pattern.name)) hub.meters.kind('public').subscriptions.add();
    const local = hub.patterns.open(pattern, () => new LocalPattern(hub, pattern, ways));
    subscriber.patterns.set(pattern.name, local);
    local.put(subscriber, codec, true);
    placeAnew(subscriber);
    ways.outlet.send(subscriber, { kind: 'subscribed', channel: pattern.name, members: null });
    settled();
  }

  async #joinLater(request: PatternRequest): Promise<void> {
    const { subscriber, refused } = request;
    const { hub } = subscriber;
    hub.patterns.openings += 1;
    subscriber.joining += 1;
    try {
      await hub.patterns.interest;
      if (subscriber.isOpen) this.#enter(request);
    } catch (error) {
      this.parts.onTrouble('subscribe to a pattern', error);
      refused('unreachable');
    } finally {
      hub.patterns.openings -= 1;
      subscriber.joining -= 1;
      this.#settle(hub);
    }
  }

  #want(hub: AppHub): void {
    const { patterns, appId } = hub;
    patterns.isWanted = true;
    const interest = this.parts.fabric.subscribeAll(appId);
    if (interest === undefined) return;
    patterns.interest = interest;
    // Those who wait hear of a failure.
    this.#confirmed(hub, interest).catch(() => {});
  }

  async #confirmed({ patterns }: AppHub, interest: Promise<void>): Promise<void> {
    await interest;
    if (patterns.interest === interest) patterns.interest = undefined;
  }

  #settle(hub: AppHub): void {
    const { patterns, appId } = hub;
    if (!patterns.isEmpty || !patterns.isWanted) return;
    patterns.isWanted = false;
    patterns.interest = undefined;
    this.parts.fabric.unsubscribeAll(appId);
    this.onLast(appId);
    this.parts.hubs.release(hub);
  }

  /** Null: the name is none of a channel that patterns fit. */
  #about({ app }: AppHub, name: string): OrdinaryChannel | null {
    const channel = this.parts.channels.subscription(app, name, 2);
    return channel.accepted && channel.form === 'ordinary' ? channel : null;
  }
}
