import type { RecoveryPolicy } from '@carillon/channels';
import { HotRing, type Message, type Positioned } from '@carillon/protocol';
import { Frames } from '../codec.js';

/** A serial in a stream, with the frames that are replayed for it. */
export interface Remembered extends Positioned {
  /**
   * Encoded once per codec for all subscribers that missed it; null if its content was purged, and nothing is sent
   * for it.
   */
  readonly frames: Frames | null;
  /** Whether the purged record began a message, so that a replay without it is incomplete. */
  readonly isHole: boolean;
}

export const remembered = (message: Message, atMs: number): Remembered => ({
  streamId: message.streamId ?? '',
  serial: message.serial ?? 0,
  frames: new Frames(message, atMs),
  isHole: false,
});

/** Buffers of the newest messages of subscribed channels, in order of delivery. */
export class Past {
  readonly #rings = new Map<string, HotRing<Remembered>>();
  /** Number of purges that may have affected a buffer. */
  erasures = 0;

  constructor(
    /** Null if the app does not use recovery. */
    private readonly policyOf: (appId: string) => RecoveryPolicy | null,
    private readonly now: () => number = Date.now,
  ) {}

  /** Records a message delivered here, with its publication time. */
  keep(appId: string, message: Message, atMs: number): void {
    if (message.streamId === null || message.serial === null) return;
    this.#ring(appId, message.channel)?.push(remembered(message, atMs), this.now());
  }

  /** The last subscriber of the channel left. */
  forget(appId: string, channel: string): void {
    this.#rings.delete(nameOf(appId, channel));
  }

  /** Some of its messages were purged: the next replay reads them again. */
  erase(appId: string, channel: string): void {
    this.erasures += 1;
    this.forget(appId, channel);
  }

  /** Returns the buffered messages from a serial on. */
  since(appId: string, channel: string, serial: number): readonly Remembered[] {
    return this.#rings.get(nameOf(appId, channel))?.since(serial, this.now()) ?? [];
  }

  /** Stores messages read from an archive for subsequent requests. */
  fill(
    appId: string,
    channel: string,
    older: readonly { readonly one: Remembered; readonly atMs: number }[],
  ): void {
    this.#ring(appId, channel)?.fill(older);
  }

  #ring(appId: string, channel: string): HotRing<Remembered> | null {
    const name = nameOf(appId, channel);
    const known = this.#rings.get(name);
    if (known !== undefined) return known;
    const policy = this.policyOf(appId);
    if (policy === null || !policy.enabled) return null;
    const ring = new HotRing<Remembered>(policy);
    this.#rings.set(name, ring);
    return ring;
  }
}

/** Names never contain U+0000. */
const nameOf = (appId: string, channel: string): string => `${appId}\0${channel}`;
