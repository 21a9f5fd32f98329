import type { ChannelPattern, Channels, OrdinaryChannel } from '@carillon/channels';
import type { Broker } from '@carillon/broker';
import type { ChannelFact } from '@carillon/protocol';
import { AppendThrottle } from '../appends/append-throttle.js';
import { passingPacingOf } from '../appends/reach.js';
import type { AppHub } from '../apps/app-hub.js';
import type { Hubs } from '../apps/hubs.js';
import type { Ways } from '../channels/audience.js';
import { ordinaryChannel } from '../channels/ordinary.js';
import type { Codec } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import { LocalPattern } from './local-pattern.js';
import { placeAnew } from './placing.js';

/** Dependencies of `PatternBook`. */
export interface PatternBookParts {
  readonly hubs: Hubs;
  readonly broker: Pick<Broker, 'subscribeAll' | 'unsubscribeAll'>;
  readonly ways: Ways;
  readonly channels: Channels;
  /** Limit of channels and patterns per subscriber. */
  readonly maxSubscriptions: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A pattern subscription that its protocol adapter has authorized. */
export interface PatternRequest {
  readonly subscriber: Subscriber;
  readonly pattern: ChannelPattern;
  readonly codec: Codec;
  /** Called once, instead of `subscribed`, when the subscription fails. */
  readonly refused: (why: 'too_many' | 'unreachable') => void;
  /** Awaited before the subscription begins. Absent: it begins immediately. Never rejects. */
  readonly turn?: () => Promise<void>;
  /** Sends what follows `subscribed`. */
  readonly settled: () => void;
}

/**
 * Subscriptions to all public channels that match a pattern. They do not make a client a subscriber of those
 * channels: nothing is counted or announced. A process receives every channel of an app while it has a pattern
 * subscription of that app.
 */
export class PatternBook {
  /** Called when the last pattern subscription of an app in this process ends. */
  onLast: (appId: string) => void = () => {};

  constructor(private readonly parts: PatternBookParts) {}

  /** Returns undefined if it completed synchronously; the promise never rejects. */
  join(request: PatternRequest): Promise<void> | undefined {
    const { subscriber, pattern, refused } = request;
    const { hub } = subscriber;
    const has = subscriber.patterns?.has(pattern.name) === true;
    if (!has && subscriber.slots >= this.parts.maxSubscriptions) {
      refused('too_many');
      return undefined;
    }
    const { patterns } = hub;
    if (!patterns.isWanted) this.#want(hub);
    if (patterns.interest !== undefined || request.turn !== undefined) return this.#joinLater(request);
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

  /** Returns the channel of messages under this name if a pattern subscribed in this process matches it. */
  covered(hub: AppHub, channel: string): OrdinaryChannel | null {
    const about = hub.patterns.areNone ? null : ordinaryChannel(this.parts.channels, hub, channel);
    return about !== null && hub.patterns.covering(about).length > 0 ? about : null;
  }

  /** Returns the pacing that delivers a message to the channel's subscribers; null if all of them are unpaced. */
  pacing(hub: AppHub, about: OrdinaryChannel, fact: ChannelFact): AppendThrottle | null {
    if (fact.kind !== 'message') return null;
    const found = hub.pacings.of(about.name);
    const { appends } = this.parts.ways;
    if (found !== null || appends === null || fact.action !== 'append') return found;
    const isWanted = hub.patterns
      .covering(about)
      .some((pattern) =>
        pattern.some((codec) => AppendThrottle.wanted(codec.appends, about.name, appends) !== null),
      );
    return isWanted ? passingPacingOf(hub, about, appends) : null;
  }

  #enter({ subscriber, pattern, codec, settled }: PatternRequest): void {
    const { hub } = subscriber;
    const { ways } = this.parts;
    subscriber.patterns ??= new Map();
    if (!subscriber.patterns.has(pattern.name)) hub.meters.kind('public').subscriptions.add();
    // Held-back facts precede the subscription.
    hub.pacings.flush();
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
    const entered = subscriber.claimSlot();
    try {
      await hub.patterns.interest;
      await request.turn?.();
      if (subscriber.isOpen) this.#enter(request);
    } catch (error) {
      this.parts.onTrouble('subscribe to a pattern', error);
      refused('unreachable');
    } finally {
      hub.patterns.openings -= 1;
      entered();
      this.#settle(hub);
    }
  }

  #want(hub: AppHub): void {
    const { patterns, appId } = hub;
    patterns.isWanted = true;
    const interest = this.parts.broker.subscribeAll(appId);
    if (interest === undefined) return;
    patterns.interest = interest;
    // Waiting subscriptions receive the failure.
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
    hub.pacings.noPatterns();
    this.parts.broker.unsubscribeAll(appId);
    this.onLast(appId);
    this.parts.hubs.release(hub);
  }
}
