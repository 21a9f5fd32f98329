import { type ChannelPattern, patternCovers, type OrdinaryChannel } from '@carillon/channels';
import type { Told } from '../appends/told.js';
import { isSelected } from '../channels/literal-index.js';
import type { AppHub } from '../apps/app-hub.js';
import type { Codec, Frames } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import { DeferredTelling, type Telling } from './deferred-telling.js';
import { isFiltered, type LocalPattern } from './local-pattern.js';

const ANY = (): boolean => true;

/** The patterns of one app in this process. */
export class AppPatterns {
  readonly #byName = new Map<string, LocalPattern>();
  /** Messages whose filters take longer than a turn of the event loop; null until the first one. */
  #deferred: DeferredTelling | null = null;
  /** Resolves when events of all channels are delivered to this process; undefined: they are. */
  interest: Promise<void> | undefined;
  /** Number of pending pattern subscriptions. */
  openings = 0;
  /** Whether interest in all channels of the app is registered. */
  isWanted = false;

  /** Whether no pattern is subscribed or about to be. */
  get isEmpty(): boolean {
    return this.#byName.size === 0 && this.openings === 0;
  }

  /** Whether no pattern is subscribed. */
  get areNone(): boolean {
    return this.#byName.size === 0;
  }

  get(name: string): LocalPattern | undefined {
    return this.#byName.get(name);
  }

  /** Returns the pattern, which must be given a subscriber in the same step. */
  open({ name }: ChannelPattern, make: () => LocalPattern): LocalPattern {
    const pattern = this.#byName.get(name) ?? make();
    this.#byName.set(name, pattern);
    return pattern;
  }

  /** Removes a pattern without subscribers. */
  settle(pattern: LocalPattern): void {
    if (pattern.isEmpty) this.#byName.delete(pattern.about.name);
  }

  /** Returns the patterns that match a channel. */
  covering(channel: OrdinaryChannel): readonly LocalPattern[] {
    const covering: LocalPattern[] = [];
    for (const pattern of this.#byName.values())
      if (patternCovers(pattern.about, channel)) covering.push(pattern);
    return covering;
  }

  /**
   * Delivers a message or a fact about one to every subscriber of a matching pattern, once, except those that
   * received it by the channel itself. The frames are those used for the channel; codecs that are not meant are
   * served separately. Returns the number of receivers.
   */
  tell(
    hub: AppHub,
    about: OrdinaryChannel,
    { frames, exceptSocketId }: Told,
    isMeant: (codec: Codec) => boolean = ANY,
  ): number {
    const covering = this.covering(about);
    if (covering.length === 0) return 0;
    const except = exceptSocketId === null ? null : hub.subscriber(exceptSocketId);
    const all: Meant = { frames, except, about, covering, isMeant, isNow: ANY, served: new Set() };
    const share = covering[0]?.share ?? null;
    if (share === null) return run(tellAll(all));
    // Subscribers without a filter do not wait for the evaluation of filters.
    let isLeft = false;
    const isNow: Meant['isNow'] = (codec, exact) => {
      const waits = isFiltered(codec) || isFiltered(exact);
      isLeft ||= waits;
      return !waits;
    };
    const now = run(tellAll({ ...all, isNow }));
    if (!isLeft) return now;
    const filtered = tellAll({ ...all, isNow: (codec, exact) => isFiltered(codec) || isFiltered(exact) });
    this.#deferred ??= new DeferredTelling(hub.appId, () => {
      for (const pattern of this.#byName.values()) pattern.overflow();
    });
    return now + this.#deferred.tell(filtered, share);
  }
}

/** A fact being delivered to the patterns that match its channel. */
interface Meant {
  readonly frames: Frames;
  readonly except: Subscriber | null;
  readonly about: OrdinaryChannel;
  readonly covering: readonly LocalPattern[];
  readonly isMeant: (codec: Codec) => boolean;
  /**
   * Whether a subscriber is served in this pass; decided by the codec of its direct subscription first, if it has
   * one.
   */
  readonly isNow: (codec: Codec, exact?: Codec) => boolean;
  /** Subscribers with several matching views that received the message already. */
  readonly served: Set<Subscriber>;
}

/** Yields before each codec that has not evaluated the fact yet. */
function* tellAll({ frames, except, about, covering, isMeant, isNow, served }: Meant): Telling {
  let receivers = 0;
  for (const pattern of covering) {
    receivers += yield* pattern.telling(frames, except, (codec) => isMeant(codec) && isNow(codec));
    for (const subscriber of pattern.apart) {
      const codec = pattern.codecOf(subscriber);
      if (codec === undefined || subscriber === except || served.has(subscriber) || !isMeant(codec)) continue;
      if (!isSelected(codec, frames.fact)) continue;
      const exact = subscriber.subscriptions.get(about.name)?.audience.codec;
      const said = exact?.held ?? exact;
      if (!isNow(codec, said)) continue;
      if (said !== undefined && !frames.has(said)) yield;
      const hasIt = said !== undefined && frames.of(said) !== null;
      if (!hasIt && !frames.has(codec)) yield;
      const frame = hasIt ? null : frames.of(codec);
      if (frame === null) continue;
      served.add(subscriber);
      receivers += 1;
      pattern.send(subscriber, frames, frame);
    }
  }
  return receivers;
}

/** Runs to completion without yielding. */
function run(telling: Telling): number {
  for (;;) {
    const step = telling.next();
    if (step.done === true) return step.value;
  }
}
