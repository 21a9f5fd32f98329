import type { RecoveryPolicy } from '@carillon/channels';
import { HotRing, type Message, type Positioned } from '@carillon/protocol';
import { Frames } from '../codec.js';

/** A place in a stream, with what is replayed of it. */
export interface Remembered extends Positioned {
  /** Encoded once per codec for all who missed it; null: its content was erased, and nothing is shown of it. */
  readonly frames: Frames | null;
  /** What was erased began a message, so that a replay without it is not whole. */
  readonly isHole: boolean;
}

export const remembered = (message: Message, atMs: number): Remembered => ({
  streamId: message.streamId ?? '',
  serial: message.serial ?? 0,
  frames: new Frames(message, atMs),
  isHole: false,
});

/** The newest messages of the channels that somebody here has, in the order they were delivered. */
export class Past {
  readonly #rings = new Map<string, HotRing<Remembered>>();
  /** How often something that may be here was erased. */
  erasures = 0;

  constructor(
    /** Null: nobody of the app asks for it. */
    private readonly policyOf: (appId: string) => RecoveryPolicy | null,
    private readonly now: () => number = Date.now,
  ) {}

  /** A message was delivered here, that was published at this time. */
  keep(appId: string, message: Message, atMs: number): void {
    if (message.streamId === null || message.serial === null) return;
    this.#ring(appId, message.channel)?.push(remembered(message, atMs), this.now());
  }

  /** Nobody here has the channel any more. */
  forget(appId: string, channel: string): void {
    this.#rings.delete(nameOf(appId, channel));
  }

  /** Some of its messages are no more: what is asked for of them is read anew. */
  erase(appId: string, channel: string): void {
    this.erasures += 1;
    this.forget(appId, channel);
  }

  /** What is there from a serial on. */
  since(appId: string, channel: string, serial: number): readonly Remembered[] {
    return this.#rings.get(nameOf(appId, channel))?.since(serial, this.now()) ?? [];
  }

  /** What was read of before, so that the next who ask find it here. */
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

/** No name holds U+0000. */
const nameOf = (appId: string, channel: string): string => `${appId}\0${channel}`;
