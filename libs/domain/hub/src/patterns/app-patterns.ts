import { type ChannelPattern, patternCovers, type OrdinaryChannel } from '@carillon/channels';
import type { LocalPattern } from './local-pattern.js';

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

  /** The pattern, to be given somebody at once. */
  open({ name }: ChannelPattern, make: () => LocalPattern): LocalPattern {
    const pattern = this.#byName.get(name) ?? make();
    this.#byName.set(name, pattern);
    return pattern;
  }

  /** Lets go of one that nobody has any more. */
  settle(pattern: LocalPattern): void {
    if (pattern.isEmpty) this.#byName.delete(pattern.about.name);
  }

  /** The patterns whose subscribers get the messages of a channel. */
  covering(channel: OrdinaryChannel): readonly LocalPattern[] {
    const covering: LocalPattern[] = [];
    for (const pattern of this.#byName.values())
      if (patternCovers(pattern.about, channel)) covering.push(pattern);
    return covering;
  }
}
