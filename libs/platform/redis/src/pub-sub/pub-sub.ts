/** What a session tells, synchronously. After `lost` it tells nothing more. */
export interface PubSubListener {
  message(channel: string, bytes: Uint8Array): void;
  lost(reason: string): void;
}

/**
 * Publishing and subscribing over connections of its own, from the moment they work until one is lost; a session
 * never comes back. Calls reject with `RedisUnavailable`: `refused` concerns one message, anything else the session.
 */
export interface RedisPubSub {
  /** Settles when the server has it. Messages of one channel are carried in the order of the calls. */
  publish(channel: string, text: string): Promise<void>;
  /** Settles when what is published from then on comes here; with the channels the server refused. */
  subscribe(channels: readonly string[]): Promise<readonly string[]>;
  unsubscribe(channels: readonly string[]): Promise<void>;
  /** Whether there are patterns: channels that have an owner have none. */
  readonly hasPatterns: boolean;
  /**
   * Settles when whatever is published from then on to a channel that a glob pattern fits comes here, told with the
   * pattern as its channel; false: the server refused it, or publishes in a way that has no patterns.
   */
  subscribePattern(pattern: string): Promise<boolean>;
  unsubscribePattern(pattern: string): Promise<void>;
  /** Classic channels, whatever the session uses otherwise: every server of a cluster passes them on to the others. */
  readonly classic: ClassicPubSub;
  /** Resolves when every server it stands on answers and can serve. */
  check(): Promise<void>;
  /** Idempotent; nothing is told afterwards. */
  close(): void;
}

/** Publishing and subscribing without an owner of the channel. May be used while other calls are under way. */
export interface ClassicPubSub {
  /** Settles with how many subscribers got it; null: the server knows only its own, and others have more. */
  publish(channel: string, text: string): Promise<number | null>;
  /** Settles when what is published from then on comes here; false: the server refused it. */
  subscribe(channel: string): Promise<boolean>;
  /** Settles when nothing more comes. */
  unsubscribe(channel: string): Promise<void>;
}

/** The commands of one way to publish and subscribe. */
export interface Dialect {
  readonly publish: 'publish' | 'spublish';
  readonly subscribe: 'ssubscribe' | 'subscribe';
  readonly unsubscribe: 'sunsubscribe' | 'unsubscribe';
}

export const CLASSIC: Dialect = { publish: 'publish', subscribe: 'subscribe', unsubscribe: 'unsubscribe' };
export const SHARDED: Dialect = { publish: 'spublish', subscribe: 'ssubscribe', unsubscribe: 'sunsubscribe' };
