import { RedisUnavailable } from '../failures.js';
import { CLASSIC, type ClassicPubSub, type Dialect, type RedisPubSub } from './pub-sub.js';
import type { ServerPair } from './server-pair.js';

export interface RoutedOptions {
  readonly dialect: Dialect;
  readonly pairs: readonly ServerPair[];
  /** Returns the server of a channel; null: none. */
  readonly route: (channel: string) => ServerPair | null;
  /** Whether there are servers beside those of this session. */
  readonly isCluster: boolean;
  /** Reason why answering servers cannot serve; null: none. */
  readonly trouble: () => Promise<string | null>;
}

/** A session over the servers that each serve some of the channels. */
export class RoutedPubSub implements RedisPubSub {
  constructor(private readonly options: RoutedOptions) {}

  get hasPatterns(): boolean {
    return this.options.dialect === CLASSIC;
  }

  get classic(): ClassicPubSub {
    const { pairs, isCluster } = this.options;
    const [first] = pairs;
    if (first === undefined) throw new RedisUnavailable('lost', 'there are no servers');
    return {
      publish: async (channel, text) => {
        const reached = await first.publish(CLASSIC, channel, text);
        return isCluster ? null : reached;
      },
      subscribe: (channel) => first.subscribe(CLASSIC, channel),
      unsubscribe: (channel) => first.unsubscribe(CLASSIC, channel),
    };
  }

  async publish(channel: string, text: string): Promise<void> {
    await this.#at(channel).publish(this.options.dialect, channel, text);
  }

  async subscribe(channels: readonly string[]): Promise<readonly string[]> {
    const { dialect } = this.options;
    const taken = await Promise.all(channels.map((one) => this.#at(one).subscribe(dialect, one)));
    return channels.filter((_, at) => taken[at] === false);
  }

  async unsubscribe(channels: readonly string[]): Promise<void> {
    const { dialect } = this.options;
    await Promise.all(channels.map((one) => this.#at(one).unsubscribe(dialect, one)));
  }

  async subscribePattern(pattern: string): Promise<boolean> {
    const [first] = this.options.pairs;
    return this.hasPatterns && first !== undefined && (await first.subscribePattern(pattern));
  }

  async unsubscribePattern(pattern: string): Promise<void> {
    if (this.hasPatterns) await this.options.pairs[0]?.unsubscribePattern(pattern);
  }

  async check(): Promise<void> {
    await Promise.all(this.options.pairs.map((pair) => pair.check()));
    const trouble = await this.options.trouble();
    if (trouble !== null) throw new RedisUnavailable('lost', trouble);
  }

  close(): void {
    for (const pair of this.options.pairs) pair.close();
  }

  #at(channel: string): ServerPair {
    const pair = this.options.route(channel);
    if (pair === null) throw new RedisUnavailable('lost', 'no server has the slot of the channel');
    return pair;
  }
}
