import type { Fact } from '@carillon/protocol';
import { type Codec, type Frame, frameBytes, type Frames } from '../codec.js';
import type { Outlet } from '../delivery/outlet.js';
import type { Subscriber } from '../subscriber/subscriber.js';

interface Held {
  readonly frames: Frames;
  readonly frame: Frame;
  /** Of the change of a member it tells; null: it tells of none. */
  readonly serial: number | null;
}

/** So many may wait where only their bytes are bounded. */
export const MOST_HELD = 10_000;

/**
 * Holds back a channel's live events from one subscriber while something must reach it first: its success frame, the
 * members, a cached event. What is held counts as its outbound queue, with the same bounds unless its edge has others; beyond
 * them the subscriber is closed, or has lost everything that it held, if its edge can tell it so.
 */
export class Gate {
  readonly codec: Codec;
  #held: Held[] = [];
  #bytes = 0;
  #isLost = false;

  constructor(
    readonly subscriber: Subscriber,
    private readonly outlet: Outlet,
    codec: Codec = subscriber.codec,
  ) {
    this.codec = codec.held ?? codec;
  }

  hold(frames: Frames, serial: number | null = memberSerial(frames.fact)): void {
    if (!this.subscriber.isOpen || this.#isLost) return;
    const frame = frames.of(this.codec);
    if (frame === null) return;
    const { maxFrames, maxBytes } = this.subscriber.edge.holds ?? this.outlet.bounds;
    const mostHeld = maxFrames === Infinity ? MOST_HELD : maxFrames;
    const bytes = frameBytes(frame);
    if (this.#held.length >= mostHeld || this.#bytes + bytes > maxBytes) return this.#overflow();
    this.#held.push({ frames, frame, serial });
    this.#bytes += bytes;
  }

  /** Whether this message waits here, so that the client will get it in its place. */
  has(messageId: string): boolean {
    return this.#held.some(({ frames: { fact } }) => fact.kind === 'message' && fact.messageId === messageId);
  }

  /** The members are about to be shown as they were then: what tells of earlier changes is in there already. */
  shown(serial: number): void {
    this.#keep((one) => one.serial === null || one.serial > serial);
  }

  /** Everything of the stream up to there reached the subscriber another way, or is before its time. */
  covered({ streamId, serial }: { readonly streamId: string; readonly serial: number }): void {
    this.drop((fact) => {
      if (fact.kind === 'message') return fact.streamId === streamId && (fact.serial ?? 0) <= serial;
      if (fact.kind !== 'resume_failed') return false;
      const { currentStreamId, newestSerial } = fact.failure;
      return currentStreamId === streamId && (newestSerial ?? 0) < serial;
    });
  }

  /** Lets go of what the subscriber is not to get. */
  drop(isNotWanted: (fact: Fact) => boolean): void {
    this.#keep(({ frames: { fact } }) => !isNotWanted(fact));
  }

  /** How many messages wait. */
  get messages(): number {
    return this.#held.filter(({ frames: { fact } }) => fact.kind === 'message').length;
  }

  /** Whether more came than may wait: none of it is held any more, and nothing is from then on. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Sends what was held, in order. */
  send(): void {
    for (const one of this.#held) this.#send(one);
    this.#held = [];
    this.#bytes = 0;
  }

  /** Sends what waits longest. False: nothing does. */
  sendNext(): boolean {
    const next = this.#held.shift();
    if (next === undefined) return false;
    this.#bytes -= frameBytes(next.frame);
    this.#send(next);
    return true;
  }

  #send({ frames, frame }: Held): void {
    const { subscriber, codec } = this;
    this.outlet.sendFrame(subscriber, frame);
    codec.told?.(frames, 1, subscriber.hub.appId);
  }

  #overflow(): void {
    const { subscriber } = this;
    if (subscriber.edge.lost === undefined) return this.outlet.overflow(subscriber);
    this.#isLost = true;
    this.#held = [];
    this.#bytes = 0;
  }

  #keep(isKept: (one: Held) => boolean): void {
    for (const one of this.#held) if (!isKept(one)) this.#bytes -= frameBytes(one.frame);
    this.#held = this.#held.filter(isKept);
  }
}

function memberSerial(fact: Fact): number | null {
  const isOfMember =
    fact.kind === 'member_added' || fact.kind === 'member_removed' || fact.kind === 'member_updated';
  return isOfMember ? fact.serial : null;
}
