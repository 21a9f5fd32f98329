import type { Channel } from './channel/channel.js';

/** The channels of a client, by name. Each name keeps its instance until it is removed. */
export class Channels {
  readonly #byName = new Map<string, Channel>();
  /** The channels whose name is a pattern. */
  readonly #patterns = new Set<Channel>();

  /** Returns undefined if the channel was never requested. */
  get(name: string): Channel | undefined {
    return this.#byName.get(name);
  }

  add(channel: Channel): void {
    this.#byName.set(channel.name, channel);
    if (channel.name.includes('*')) this.#patterns.add(channel);
  }

  forget(channel: Channel): void {
    this.#byName.delete(channel.name);
    this.#patterns.delete(channel);
  }

  /** Returns the pattern channels that match the name. */
  matching(name: string): readonly Channel[] {
    return [...this.#patterns].filter((channel) => {
      const [before = '', after = ''] = channel.name.split('*');
      return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
    });
  }

  [Symbol.iterator](): Iterator<Channel> {
    return this.#byName.values();
  }
}
