import type { AppendThrottle } from './append-throttle.js';

/** Limit per app of channels subscribed by pattern only; beyond it the least recently used one is released. */
const MAX_PASSING = 1024;

/**
 * The pacings of one app, one per channel, shared by direct and pattern subscribers so that both receive the same
 * frames.
 */
export class AppendThrottles {
  readonly #byChannel = new Map<string, AppendThrottle>();
  /** In order of use, most recent last. */
  readonly #passing = new Set<string>();

  /** Returns null if no subscriber of the channel is paced. */
  of(channel: string): AppendThrottle | null {
    if (this.#byChannel.size === 0) return null;
    const pacing = this.#byChannel.get(channel) ?? null;
    if (this.#passing.delete(channel)) this.#passing.add(channel);
    return pacing;
  }

  /** Returns the pacing of a channel with direct subscribers; creates it if missing. */
  open(channel: string, make: () => AppendThrottle): AppendThrottle {
    const pacing = this.taken(channel) ?? make();
    this.#byChannel.set(channel, pacing);
    return pacing;
  }

  /** Returns the pacing of a channel subscribed by pattern only; creates it if missing. */
  openPassing(channel: string, make: () => AppendThrottle): AppendThrottle {
    const pacing = this.open(channel, make);
    this.#pass(channel);
    return pacing;
  }

  /** Takes over the pacing for a channel that is about to get a direct subscriber; null if there is none yet. */
  taken(channel: string): AppendThrottle | null {
    this.#passing.delete(channel);
    return this.#byChannel.get(channel) ?? null;
  }

  /** The last direct subscriber left; with `mayPass` the channel may still have pattern subscribers. */
  left(channel: string, mayPass: boolean): void {
    if (!this.#byChannel.has(channel)) return;
    if (mayPass) this.#pass(channel);
    else this.#byChannel.delete(channel);
  }

  /** The last pattern subscription of the app ended. */
  noPatterns(): void {
    for (const channel of this.#passing) this.#end(channel);
  }

  /** Delivers everything held back. */
  flush(): void {
    for (const pacing of this.#byChannel.values()) pacing.flush();
  }

  #pass(channel: string): void {
    this.#passing.add(channel);
    for (const oldest of this.#passing) {
      if (this.#passing.size <= MAX_PASSING) break;
      this.#end(oldest);
    }
  }

  #end(channel: string): void {
    this.#byChannel.get(channel)?.end();
    this.#byChannel.delete(channel);
    this.#passing.delete(channel);
  }
}
