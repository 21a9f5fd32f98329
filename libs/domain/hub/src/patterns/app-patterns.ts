import { patternCovers, type ChannelPattern, type OrdinaryChannel } from '@carillon/channels';
import type { Codec } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';

/** One pattern that somebody in this process has. */
export interface LocalPattern {
  readonly about: ChannelPattern;
  /** With what each is told things. */
  readonly subscribers: Map<Subscriber, Codec>;
}

/** The patterns of one app in this process. */
export class AppPatterns {
  readonly #byName = new Map<string, LocalPattern>();
  /** Settles when events of every channel come here; undefined: they do. */
  interest: Promise<void> | undefined;
  /** Subscribers about to have one. */
  openings = 0;
  /** Whether every channel of the app is wanted here. */
  isWanted = false;

  /** Nobody has one, or is about to. */
  get isEmpty(): boolean {
    return this.#byName.size === 0 && this.openings === 0;
  }

  /** Nobody has one. */
  get areNone(): boolean {
    return this.#byName.size === 0;
  }

  get(name: string): LocalPattern | undefined {
    return this.#byName.get(name);
  }

  put(about: ChannelPattern, subscriber: Subscriber, codec: Codec): void {
    const found = this.#byName.get(about.name);
    if (found === undefined)
      this.#byName.set(about.name, { about, subscribers: new Map([[subscriber, codec]]) });
    else found.subscribers.set(subscriber, codec);
  }

  remove(name: string, subscriber: Subscriber): boolean {
    const found = this.#byName.get(name);
    if (found?.subscribers.delete(subscriber) !== true) return false;
    if (found.subscribers.size === 0) this.#byName.delete(name);
    return true;
  }

  /** The patterns whose subscribers get the messages of a channel. */
  covering(channel: OrdinaryChannel): readonly LocalPattern[] {
    const covering: LocalPattern[] = [];
    for (const pattern of this.#byName.values())
      if (patternCovers(pattern.about, channel)) covering.push(pattern);
    return covering;
  }
}
