import type { Fact } from '@carillon/protocol';
import type { LoopShare } from '@carillon/runtime';
import { type Codec, type Frame, frameBytes, type Frames } from '../codec.js';
import type { Outlet } from '../delivery/outlet.js';
import type { HoldBounds } from '../edge.js';
import type { Subscriber } from '../subscriber/subscriber.js';

interface Held {
  readonly frames: Frames;
  readonly codec: Codec;
  /** Undefined while its filter is not evaluated. */
  frame: Frame | undefined;
  /** Size of the frame; until its filter is evaluated, the number of characters of its message. */
  bytes: number;
  /** Serial of the member change it reports; null if it reports none. */
  readonly serial: number | null;
}

/** Limit of held frames if only their bytes are bounded otherwise. */
export const MAX_HELD = 10_000;

/**
 * Holds back a channel's live events from one subscriber until other frames have reached it: the success frame, the
 * members, a cached event. Held frames count as its outbound queue and have the same bounds unless its edge defines
 * others. Beyond them the subscriber is closed, or loses all held frames if its edge can report the loss. Filters
 * that exceed the event loop budget are evaluated by `settle`, before the events are sent.
 */
export class PendingFrames {
  readonly codec: Codec;
  /** The part of the event loop in which filters are evaluated; null: they are evaluated immediately. */
  share: LoopShare | null = null;
  /** In order. */
  readonly #held = new Set<Held>();
  readonly #unsettled = new Set<Held>();
  /** Facts not delivered before the hold began because their filter evaluation was deferred. */
  readonly #untold = new Set<Held>();
  #bytes = 0;
  #isLost = false;

  constructor(
    readonly subscriber: Subscriber,
    private readonly outlet: Outlet,
    codec: Codec = subscriber.codec,
  ) {
    this.codec = codec.held ?? codec;
  }

  hold(frames: Frames): void {
    this.#hold(frames, memberSerial(frames.fact), this.codec);
  }

  #hold(frames: Frames, serial: number | null, codec: Codec, into?: Set<Held>): void {
    if (!this.subscriber.isOpen || this.#isLost) return;
    const isDeferred = this.share !== null && codec.isDeferred?.(frames) === true;
    const frame = isDeferred ? undefined : frames.of(codec);
    if (frame === null) return;
    const bytes = frame === undefined ? charactersOf(frames.fact) : frameBytes(frame);
    const held: Held = { frames, codec, frame, serial, bytes };
    if (this.#add(held)) into?.add(held);
  }

  /** Holds earlier messages that were not sent because the filter of the subscriber had to wait. */
  holdUntold(frames: Frames, codec: Codec): void {
    this.#hold(frames, null, codec, this.#untold);
  }

  /** Takes over everything held by another gate of the subscriber, behind what this gate holds. */
  absorb(other: PendingFrames): void {
    for (const held of other.#held) if (this.#add(held)) this.#untold.add(held);
    if (other.#isLost) this.#lose();
    other.#clear();
  }

  /**
   * Evaluates the filters of the events that are held, in turns of the share, the oldest first. Returns undefined if
   * all of them are evaluated; the promise never rejects, and more events may be held when it resolves.
   */
  settle(): Promise<void> | undefined {
    return this.#unsettled.size === 0 ? undefined : this.#settle();
  }

  async #settle(): Promise<void> {
    const { share, subscriber } = this;
    for (;;) {
      const turn = share?.turn(subscriber.hub.appId);
      if (turn !== undefined) await turn;
      if (!subscriber.isOpen) this.#clear();
      const [oldest] = this.#unsettled;
      if (oldest === undefined) return;
      this.#evaluate(oldest);
    }
  }

  /**
   * Sends facts that were deferred before the hold began, before anything else reaches the subscriber. Returns
   * undefined if there are none; the promise never rejects.
   */
  catchUp(): Promise<void> | undefined {
    return this.#untold.size === 0 ? undefined : this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const turn = this.share?.turn(this.subscriber.hub.appId);
      if (turn !== undefined) await turn;
      const [oldest] = this.#untold;
      if (oldest === undefined || !this.subscriber.isOpen) return;
      this.#delete(oldest);
      this.#send(oldest);
    }
  }

  #evaluate(held: Held): void {
    const frame = held.frames.of(held.codec);
    if (frame === null) return this.#delete(held);
    this.#unsettled.delete(held);
    const bytes = frameBytes(frame);
    if (this.#bytes - held.bytes + bytes > this.#bounds.maxBytes) {
      this.#delete(held);
      return this.#overflow();
    }
    this.#bytes += bytes - held.bytes;
    held.frame = frame;
    held.bytes = bytes;
  }

  /** Whether this message is held here, so that the client will receive it in order. */
  has(messageId: string): boolean {
    for (const { frames } of this.#held)
      if (frames.fact.kind === 'message' && frames.fact.messageId === messageId) return true;
    return false;
  }

  /** The held events, in order. */
  get frames(): readonly Frames[] {
    return Array.from(this.#held, ({ frames }) => frames);
  }

  /** The member list as of this serial is about to be shown: drops held changes that it includes. */
  shown(serial: number): void {
    this.#keep((one) => one.serial === null || one.serial > serial);
  }

  /**
   * Drops held messages of the stream up to this serial: the subscriber received them by other means, or they precede
   * its subscription.
   */
  covered({ streamId, serial }: { readonly streamId: string; readonly serial: number }): void {
    this.drop((fact) => {
      if (fact.kind === 'message') return fact.streamId === streamId && (fact.serial ?? 0) <= serial;
      if (fact.kind !== 'resume_failed') return false;
      const { currentStreamId, newestSerial } = fact.failure;
      return currentStreamId === streamId && (newestSerial ?? 0) < serial;
    });
  }

  /** Drops held facts that the subscriber must not receive. */
  drop(isNotWanted: (fact: Fact) => boolean): void {
    this.#keep(({ frames }) => !isNotWanted(frames.fact));
  }

  /** Like `drop`, for an expensive predicate: runs in turns of the share until everything held is evaluated. */
  async dropInTurn(isNotWanted: (frames: Frames) => boolean): Promise<void> {
    // Messages that arrive meanwhile are appended to the set and evaluated too.
    for (const held of this.#held) {
      const turn = this.share?.turn(this.subscriber.hub.appId);
      if (turn !== undefined) await turn;
      if (isNotWanted(held.frames)) this.#delete(held);
    }
  }

  /** Number of held messages, including those whose filter is not evaluated yet. */
  get messages(): number {
    return this.frames.filter(({ fact }) => fact.kind === 'message').length;
  }

  /** Whether the bounds were exceeded: everything held was dropped, and nothing is held from then on. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Sends held messages in order. `settle` must have evaluated all of them. */
  send(): void {
    const held = [...this.#held];
    this.#clear();
    for (const one of held) this.#send(one);
  }

  /** Sends the oldest held frame. Returns false if none is held. */
  sendNext(): boolean {
    const [next] = this.#held;
    if (next === undefined) return false;
    this.#delete(next);
    this.#send(next);
    return true;
  }

  #send({ frames, codec, frame = frames.of(codec) ?? undefined }: Held): void {
    const { subscriber } = this;
    if (frame === undefined) return;
    const { tap } = subscriber.hub;
    if (tap !== null) tap.sent(subscriber, frames.fact, frame);
    this.outlet.sendFrame(subscriber, frame);
    codec.told?.(frames, 1, subscriber.hub.appId);
  }

  get #bounds(): HoldBounds {
    const { maxFrames, maxBytes } = this.subscriber.edge.holds ?? this.outlet.bounds;
    return { maxFrames: maxFrames === Infinity ? MAX_HELD : maxFrames, maxBytes };
  }

  /** Returns false if the bounds are exceeded. */
  #add(held: Held): boolean {
    if (this.#isLost) return false;
    const { maxFrames, maxBytes } = this.#bounds;
    if (this.#held.size >= maxFrames || this.#bytes + held.bytes > maxBytes) {
      this.#overflow();
      return false;
    }
    this.#held.add(held);
    if (held.frame === undefined) this.#unsettled.add(held);
    this.#bytes += held.bytes;
    return true;
  }

  #delete(held: Held): void {
    if (this.#held.delete(held)) this.#bytes -= held.bytes;
    this.#unsettled.delete(held);
    this.#untold.delete(held);
  }

  #clear(): void {
    this.#held.clear();
    this.#unsettled.clear();
    this.#untold.clear();
    this.#bytes = 0;
  }

  #overflow(): void {
    const { subscriber } = this;
    if (subscriber.edge.lost !== undefined) return this.#lose();
    this.outlet.overflow(subscriber);
    if (!subscriber.isOpen) this.#clear();
  }

  #lose(): void {
    this.#isLost = true;
    this.#clear();
  }

  #keep(isKept: (one: Held) => boolean): void {
    for (const one of this.#held) if (!isKept(one)) this.#delete(one);
  }
}

/**
 * PendingFrames that a channel creates for a subscriber whose codec changes while messages wait for the evaluation of its
 * filter: those are sent first. Another gate of the subscriber takes over what it holds.
 */
export class CatchUp extends PendingFrames {}

function charactersOf(fact: Fact): number {
  if (fact.kind === 'annotations_summarized') return fact.summaryText.length;
  if (fact.kind !== 'message') return 0;
  return [fact.dataText, fact.extrasText, fact.tagsText].reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

function memberSerial(fact: Fact): number | null {
  const isOfMember =
    fact.kind === 'member_added' || fact.kind === 'member_removed' || fact.kind === 'member_updated';
  return isOfMember ? fact.serial : null;
}
