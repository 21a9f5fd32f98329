import { type BaseBudget, type ChannelDelta, type DeltaRules, LatestBases } from '@carillon/delta';
import type { Codec, DeltaMeters, Frames, LocalChannel } from '@carillon/realtime';
import { isEphemeral, type Message } from '@carillon/protocol';
import { type CohortChannel, DeltaCohort } from './delta-cohort.js';
import type { DeltaEntry, ShownBases } from './delta-entry.js';
import { DeltaEvent, groupOf } from './delta-event.js';
import type { DeltaStates } from './delta-states.js';
import type { DeltaVariant } from './delta-variant.js';

/**
 * The limit of cohorts per variant of a channel. Beyond it, all but the largest are merged into a new one with fresh
 * bases.
 */
const MAX_COHORTS = 16;

/** Dependencies of {@link DeltaChannel}. */
export interface DeltaChannelParts {
  readonly local: LocalChannel;
  readonly plan: ChannelDelta;
  readonly rules: DeltaRules;
  readonly omitsAlgorithm: boolean;
  /** Encodes full frames, before any filter. */
  readonly plain: Codec;
  /** Shared by all channels of an app. */
  readonly budget: BaseBudget;
  readonly states: DeltaStates;
  readonly meters: DeltaMeters;
}

/** Deltas of one channel in this process: encodes each message once and tracks the bases of each cohort. */
export class DeltaChannel implements CohortChannel {
  readonly #cohorts = new Map<Codec, DeltaCohort[]>();
  /** Bases shown to later subscribers. Stored only if messages have groups. */
  readonly #latest: LatestBases<Message>;
  /** Counts messages that may be bases. */
  #version = 0;
  /** The message count of the channel when its last delta subscriber left; null while there are delta subscribers. */
  #leftAt: number | null = 0;
  /** Messages may await a filter while later ones of the channel arrive. */
  readonly #events = new WeakMap<Frames, { readonly event: DeltaEvent | null }>();

  constructor(private readonly parts: DeltaChannelParts) {
    this.#latest = new LatestBases(parts.plan.maxGroups);
  }

  get plan(): ChannelDelta {
    return this.parts.plan;
  }

  get rules(): DeltaRules {
    return this.parts.rules;
  }

  get omitsAlgorithm(): boolean {
    return this.parts.omitsAlgorithm;
  }

  get hasGroups(): boolean {
    return this.parts.plan.conflationPath !== null;
  }

  get meters(): DeltaMeters {
    return this.parts.meters;
  }

  eventOf(message: Message, frames: Frames): DeltaEvent | null {
    let read = this.#events.get(frames);
    if (read === undefined) this.#events.set(frames, (read = { event: this.#read(message, frames) }));
    return read.event;
  }

  /**
   * Returns the bases that a new subscription begins with; null if it begins with none, which is so too when the share of the
   * event loop has no time for its filter (`accepts` returns null).
   */
  show(accepts: (message: Message) => boolean | null): ShownBases | null {
    this.#forgetOld();
    const bases = this.#latest.visible(accepts);
    return bases === null || bases.size === 0 ? null : { version: this.#version, bases };
  }

  /** Returns the cohort for a subscriber that begins to receive now. */
  begin(entry: DeltaEntry): DeltaCohort {
    this.#forgetOld();
    this.#leftAt = null;
    const { variant } = entry;
    const shown = entry.shown?.version === this.#version ? entry.shown : null;
    const cohorts = this.#of(variant);
    const version = shown?.version ?? null;
    if (cohorts.length === 0) this.parts.budget.used(this.#latest);
    // A subscriber that begins now would receive waiting messages, or have no base for the following ones.
    const found = cohorts.find((one) => !this.#isBehind(one) && one.accepts(version));
    if (found !== undefined) return found;
    if (cohorts.length >= MAX_COHORTS) return this.#merged(cohorts);
    const cohort = new DeltaCohort(this, entry.again(), version);
    if (shown !== null) cohort.seed(shown.bases);
    const all = this.#cohorts.get(variant.base);
    if (all === undefined) this.#cohorts.set(variant.base, [cohort]);
    else all.push(cohort);
    this.stepped(cohort);
    return cohort;
  }

  began(cohort: DeltaCohort): void {
    this.parts.states.began(this.parts.local, cohort);
  }

  stepped(cohort: DeltaCohort): void {
    this.parts.budget.used(cohort);
  }

  leave(cohort: DeltaCohort): void {
    const { budget } = this.parts;
    const { base } = cohort.variant;
    budget.left(cohort);
    const left = (this.#cohorts.get(base) ?? []).filter((one) => one !== cohort);
    if (left.length > 0) this.#cohorts.set(base, left);
    else this.#cohorts.delete(base);
    if (this.#cohorts.size > 0) return;
    this.#leftAt = this.parts.local.told;
    budget.left(this.#latest);
  }

  #read(message: Message, frames: Frames): DeltaEvent | null {
    const { plan, plain, budget, meters } = this.parts;
    const text = frames.of(plain);
    if (typeof text !== 'string') return null;
    const group = groupOf(plan.conflationPath, text);
    if (group === null) return null;
    this.#version += 1;
    if (this.hasGroups && !isEphemeral(message)) {
      this.#latest.put(group, text, message);
      budget.used(this.#latest);
    }
    return new DeltaEvent(message, text, group, () => meters.encoded());
  }

  /** Drops bases if messages arrived while there were no delta subscribers. */
  #forgetOld(): void {
    if (this.#leftAt !== null && this.#leftAt !== this.parts.local.told) this.#latest.clear();
  }

  #of({ base, algorithm }: DeltaVariant): readonly DeltaCohort[] {
    return (this.#cohorts.get(base) ?? []).filter(({ variant }) => variant.algorithm === algorithm);
  }

  #isBehind(cohort: DeltaCohort): boolean {
    return this.parts.local.isBehind(cohort);
  }

  /**
   * The cohort of a new subscriber where there are enough. If messages wait for all of them, it begins behind those.
   */
  #merged(cohorts: readonly DeltaCohort[]): DeltaCohort {
    const { local } = this.parts;
    const largestOf = (some: readonly DeltaCohort[]): DeltaCohort =>
      some.reduce((one, other) => (local.countOf(other) > local.countOf(one) ? other : one));
    const ready = cohorts.filter((one) => !this.#isBehind(one));
    if (ready.length === 0) return largestOf(cohorts);
    const largest = largestOf(ready);
    for (const cohort of ready) if (cohort !== largest) local.merge(cohort, largest);
    largest.clear();
    this.stepped(largest);
    return largest;
  }
}
