import { type BaseHolder, type DeltaRules, type DeltaStep, DeltaStream } from '@carillon/delta';
import type { Appends, Codec, DeltaMeters, Frame, Frames, LiteralSelector } from '@carillon/realtime';
import { deltaFrame, type Fact, type Message, withDeltaMembers } from '@carillon/protocol';
import type { DeltaEntry } from './delta-entry.js';
import { type DeltaEvent, isCandidate } from './delta-event.js';
import type { DeltaVariant } from './delta-variant.js';

/** The channel of cohorts, as they see it. */
export interface CohortChannel {
  readonly rules: DeltaRules;
  readonly omitsAlgorithm: boolean;
  /** Whether messages have groups (conflation), and the latest message of each is a base for later subscribers. */
  readonly hasGroups: boolean;
  readonly meters: DeltaMeters;
  /** The delta event of a message, shared by all cohorts. Null if it is sent in full and changes no base. */
  eventOf(message: Message, frames: Frames): DeltaEvent | null;
  /** Called when the members of a cohort start to hold bases. */
  began(cohort: DeltaCohort): void;
  /** Called when the bases of a cohort have changed. */
  stepped(cohort: BaseHolder): void;
  /** Called when a cohort has no members left. */
  leave(cohort: DeltaCohort): void;
}

/**
 * The subscribers that began at the same message of a channel in one variant. They hold the same bases and receive
 * the same frames.
 */
export class DeltaCohort implements Codec, BaseHolder {
  readonly variant: DeltaVariant;
  /** The time of its last message, on the `performance` clock. */
  usedAtMs = performance.now();
  /** Absent without a filter. */
  readonly isDeferred?: (frames: Frames) => boolean;
  readonly #stream: DeltaStream;

  constructor(
    private readonly channel: CohortChannel,
    /** The codec of its subscribers while they are held back. */
    readonly held: DeltaEntry,
    /** The version of the channel whose bases it started with; null: it started without bases. */
    private readonly seededAt: number | null,
  ) {
    this.variant = held.variant;
    this.#stream = new DeltaStream(channel.rules);
    if (held.isDeferred !== undefined) this.isDeferred = (frames) => this.#isDeferred(frames);
  }

  get appends(): Appends | undefined {
    return this.variant.base.appends;
  }

  /** Absent where messages are grouped: there the channel reads every message, whether a filter accepts it or not. */
  get selector(): LiteralSelector | undefined {
    return this.channel.hasGroups ? undefined : this.variant.base.selector;
  }

  get filters(): boolean | undefined {
    return this.variant.base.filters;
  }

  get length(): number {
    return this.#stream.length;
  }

  seed(bases: ReadonlyMap<string, string>): void {
    for (const [group, base] of bases) this.#stream.seed(group, base, this.usedAtMs);
  }

  /** Whether a subscriber that was shown the bases of this version, or none, may join. */
  accepts(version: number | null): boolean {
    return version === null ? this.#stream.isNew : version === this.seededAt;
  }

  /** Everything is sent in full next, with sequences from 0. */
  clear(): void {
    this.#stream.clear();
  }

  renew(): void {
    this.clear();
    this.channel.stepped(this);
  }

  encode(fact: Fact, frames: Frames): Frame | null {
    const event = isCandidate(fact) ? this.channel.eventOf(fact, frames) : null;
    const frame = frames.of(this.variant.base);
    if (frame === null || event === null) return frame;
    if (this.#stream.isNew) this.channel.began(this);
    this.usedAtMs = performance.now();
    const step = this.#stream.step(event.group, event.in(this.variant.algorithm), this.usedAtMs);
    this.channel.stepped(this);
    return this.#frameOf(event, step);
  }

  left(): void {
    this.channel.leave(this);
  }

  /** The channel reads every message on arrival, so that its latest bases do not depend on pending filters. */
  #isDeferred(frames: Frames): boolean {
    const { fact } = frames;
    if (isCandidate(fact)) this.channel.eventOf(fact, frames);
    return this.held.isDeferred?.(frames) === true;
  }

  #frameOf({ text, group, message }: DeltaEvent, step: DeltaStep): string {
    const { meters } = this.channel;
    if (step.kind === 'full') {
      meters.full(text.length);
      return withDeltaMembers(text, step.sequence, group);
    }
    const { algorithm, write } = this.variant;
    const named = this.channel.omitsAlgorithm ? null : algorithm;
    const frame = write(
      deltaFrame(message, { text: step.delta, sequence: step.sequence, algorithm: named, group }),
    );
    meters.delta(text.length, frame.length);
    return frame;
  }
}
