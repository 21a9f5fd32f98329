import type { Streams } from './streams.js';

/** Limit of streams followed for patterns alone. Beyond it the one without a record for longest is released. */
const MAX_STREAMS = 10_000;

/** Follows the streams of channels subscribed by pattern only, while records of them arrive. */
export class PassingStreams {
  /** Least recently active first. */
  readonly #followed = new Map<string, { readonly appId: string; readonly channel: string }>();

  constructor(private readonly streams: Pick<Streams, 'followHere' | 'leave'>) {}

  /** A record of the channel arrived; it counts as the first one if the channel was not followed. */
  follow(appId: string, channel: string): void {
    const key = `${appId} ${channel}`;
    const known = this.#followed.get(key);
    this.#followed.delete(key);
    this.#followed.set(key, { appId, channel });
    if (known !== undefined) return;
    this.streams.followHere(appId, channel);
    const [oldest] = this.#followed;
    if (this.#followed.size <= MAX_STREAMS || oldest === undefined) return;
    this.#followed.delete(oldest[0]);
    this.streams.leave(oldest[1].appId, oldest[1].channel);
  }

  /** The channel has a direct subscriber: its stream is followed for that. */
  settled(appId: string, channel: string): void {
    this.#followed.delete(`${appId} ${channel}`);
  }

  /** The last pattern subscription of the app ended. */
  forget(appId: string): void {
    for (const [key, one] of this.#followed) {
      if (one.appId !== appId) continue;
      this.#followed.delete(key);
      this.streams.leave(appId, one.channel);
    }
  }
}
