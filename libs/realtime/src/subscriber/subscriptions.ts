import type { Subscription } from '../channels/audience.js';

/** Largest number stored as an array; beyond it a map is used. */
const LISTED = 8;

/**
 * The channels of one subscriber, by name. Most have one or a few, so a single one is stored directly, a few as an
 * array, and only many as a map.
 */
export class Subscriptions {
  #held: Subscription | Subscription[] | Map<string, Subscription> | null = null;

  get size(): number {
    const held = this.#held;
    if (held === null) return 0;
    if (Array.isArray(held)) return held.length;
    return held instanceof Map ? held.size : 1;
  }

  get(name: string): Subscription | undefined {
    const held = this.#held;
    if (held === null) return undefined;
    if (Array.isArray(held)) return held.find((one) => one.channel.name === name);
    if (held instanceof Map) return held.get(name);
    return held.channel.name === name ? held : undefined;
  }

  /** Adds a channel that is not subscribed yet. */
  add(subscription: Subscription): void {
    const held = this.#held;
    if (held === null) this.#held = subscription;
    else if (held instanceof Map) held.set(subscription.channel.name, subscription);
    else if (!Array.isArray(held)) this.#held = [held, subscription];
    else if (held.length < LISTED) held.push(subscription);
    else this.#held = new Map([...held, subscription].map((one) => [one.channel.name, one]));
  }

  /** Returns the removed subscription; undefined if there was none. */
  remove(name: string): Subscription | undefined {
    const held = this.#held;
    const found = this.get(name);
    if (found === undefined) return undefined;
    if (held instanceof Map) held.delete(name);
    else this.#held = Array.isArray(held) && held.length > 1 ? held.filter((one) => one !== found) : null;
    return found;
  }

  /** Iterates over a snapshot. */
  [Symbol.iterator](): Iterator<Subscription> {
    const held = this.#held;
    if (held === null) return [][Symbol.iterator]();
    if (Array.isArray(held)) return [...held][Symbol.iterator]();
    return held instanceof Map ? [...held.values()][Symbol.iterator]() : [held][Symbol.iterator]();
  }
}
