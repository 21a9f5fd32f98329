import type { Pacing } from './pacing.js';

/** Channels that are had here by patterns alone, of one app; beyond, the one that was told of longest ago is let go. */
const MOST_PASSING = 1024;

/**
 * What brings the channels of one app to subscribers who want appends at a pace: one for a channel, whether they have it
 * by itself or by a pattern, so that both are told the same.
 */
export class Pacings {
  readonly #byChannel = new Map<string, Pacing>();
  /** The one that was told of last at the end. */
  readonly #passing = new Set<string>();

  /** Null: everybody who has the channel gets everything as it comes. */
  of(channel: string): Pacing | null {
    if (this.#byChannel.size === 0) return null;
    const pacing = this.#byChannel.get(channel) ?? null;
    if (this.#passing.delete(channel)) this.#passing.add(channel);
    return pacing;
  }

  /** Of a channel that somebody here has. */
  open(channel: string, make: () => Pacing): Pacing {
    const pacing = this.taken(channel) ?? make();
    this.#byChannel.set(channel, pacing);
    return pacing;
  }

  /** Of a channel that is had here by patterns alone. */
  openPassing(channel: string, make: () => Pacing): Pacing {
    const pacing = this.open(channel, make);
    this.#pass(channel);
    return pacing;
  }

  /** Somebody is about to have the channel itself; null: it has none yet. */
  taken(channel: string): Pacing | null {
    this.#passing.delete(channel);
    return this.#byChannel.get(channel) ?? null;
  }

  /** Nobody has the channel itself any more; somebody may have it by a pattern. */
  left(channel: string, mayPass: boolean): void {
    if (!this.#byChannel.has(channel)) return;
    if (mayPass) this.#pass(channel);
    else this.#byChannel.delete(channel);
  }

  /** Nobody has a pattern any more. */
  noPatterns(): void {
    for (const channel of this.#passing) this.#end(channel);
  }

  /** Nothing is held back any more. */
  flush(): void {
    for (const pacing of this.#byChannel.values()) pacing.flush();
  }

  #pass(channel: string): void {
    this.#passing.add(channel);
    for (const oldest of this.#passing) {
      if (this.#passing.size <= MOST_PASSING) break;
      this.#end(oldest);
    }
  }

  #end(channel: string): void {
    this.#byChannel.get(channel)?.end();
    this.#byChannel.delete(channel);
    this.#passing.delete(channel);
  }
}
