/** One event of one channel on its way to subscribers. */
export interface LiveEvent {
  /** Unique; whoever receives two with one id drops the second. */
  readonly messageId: string;
  readonly appId: string;
  readonly channel: string;
  /** The whole frame that protocol 1 subscribers get, encoded once where it was published. */
  readonly frameText: string;
  /** The socket that must not get it; null: nobody is left out. */
  readonly exceptSocketId: string | null;
  /** The publisher's clock, in fractional milliseconds since 1970; for latency only. */
  readonly publishedAtMs: number;
}
