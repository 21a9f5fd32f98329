/** Receives events of a session, synchronously; none after `lost`. */
export interface PubSubListener {
  message(channel: string, bytes: Uint8Array): void;
  lost(reason: string): void;
}

/**
 * Publishing and subscribing over dedicated connections, from their establishment until one is lost; a session is not
 * reused. Calls reject with `RedisUnavailable`: `refused` concerns one message, anything else the session.
 */
export interface RedisPubSub {
  /** Settles when the server has it. Messages of one channel are carried in the order of the calls. */
  publish(channel: string, text: string): Promise<void>;
  /** Resolves with the refused channels when later messages of the others arrive here. */
  subscribe(channels: readonly string[]): Promise<readonly string[]>;
  unsubscribe(channels: readonly string[]): Promise<void>;
  /** Whether there are patterns: channels that have an owner have none. */
  readonly hasPatterns: boolean;
  /**
   * Resolves when later messages on channels that match a glob pattern arrive here, with the pattern as their
   * channel; false: refused, or not supported by the mode.
   */
  subscribePattern(pattern: string): Promise<boolean>;
  unsubscribePattern(pattern: string): Promise<void>;
  /** Classic channels, regardless of the session's mode: every server of a cluster broadcasts them. */
  readonly classic: ClassicPubSub;
  /** Resolves when every server of the session answers and can serve. */
  check(): Promise<void>;
  /** Closes the session; no listener calls follow. Idempotent. */
  close(): void;
}

/** Publishing and subscribing without an owner of the channel. May be used while other calls are under way. */
export interface ClassicPubSub {
  /** Settles with how many subscribers got it; null: the server knows only its own, and others have more. */
  publish(channel: string, text: string): Promise<number | null>;
  /** Resolves when later messages arrive here; false: the server refused. */
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
