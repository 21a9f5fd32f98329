import type { SharedEncoding } from './shared-encoding.js';

/** Bounds of differences; the settings of `delta_compression`. */
export interface DeltaRules {
  /** Differences after which a full message is sent. */
  readonly fullMessageInterval: number;
  /** Shorter texts are sent in full, in bytes. */
  readonly minMessageSize: number;
  readonly maxStateAgeMs: number;
  /** Groups with a base; beyond, the one not used for longest begins again. */
  readonly maxGroups: number;
}

/** A step of the stream: the full event with its sequence, or its delta from event `sequence - 1` of its group. */
export type DeltaStep =
  | { readonly kind: 'full'; readonly sequence: number }
  | { readonly kind: 'delta'; readonly sequence: number; readonly delta: string };

interface Group {
  readonly base: string;
  readonly sequence: number;
  readonly deltasSinceFull: number;
  readonly sentAtMs: number;
}

/** The first two events of a group are sent in full: a client that joined between them could not name its base. */
const FULL_AT_FIRST = 2;

/**
 * The latest text of each group, held by all clients that began at the same event of a channel. Each of them must
 * receive every step.
 */
export class DeltaStream {
  /** In order of use, so that the first is the one not used for longest. */
  readonly #groups = new Map<string, Group>();
  #length = 0;

  constructor(private readonly rules: DeltaRules) {}

  /** Characters of all bases. */
  get length(): number {
    return this.#length;
  }

  /** Nothing has been sent, or all of it was forgotten. */
  get isNew(): boolean {
    return this.#groups.size === 0;
  }

  /** Forgets every base: each group begins again, at sequence 0. */
  clear(): void {
    this.#groups.clear();
    this.#length = 0;
  }

  /** Stores a base that was delivered in another way; the group continues at sequence 1. */
  seed(group: string, base: string, nowMs: number): void {
    this.#put(group, { base, sequence: 0, deltasSinceFull: 0, sentAtMs: nowMs });
  }

  /** Returns the encoding of the next event of a group. Its text becomes the group's base. */
  step(group: string, event: SharedEncoding, nowMs: number): DeltaStep {
    const last = this.#groups.get(group);
    const sequence = last === undefined ? 0 : last.sequence + 1;
    const delta = last === undefined ? null : this.#delta(last, event, nowMs);
    const deltasSinceFull = last === undefined || delta === null ? 0 : last.deltasSinceFull + 1;
    this.#put(group, { base: event.text, sequence, deltasSinceFull, sentAtMs: nowMs });
    return delta === null ? { kind: 'full', sequence } : { kind: 'delta', sequence, delta };
  }

  #delta(last: Group, event: SharedEncoding, nowMs: number): string | null {
    const { fullMessageInterval, minMessageSize, maxStateAgeMs } = this.rules;
    const inFull =
      last.sequence + 1 < FULL_AT_FIRST ||
      last.deltasSinceFull >= fullMessageInterval ||
      nowMs - last.sentAtMs > maxStateAgeMs ||
      Buffer.byteLength(event.text) < minMessageSize;
    return inFull ? null : event.from(last.base);
  }

  #put(group: string, state: Group): void {
    this.#drop(group);
    this.#groups.set(group, state);
    this.#length += state.base.length;
    if (this.#groups.size <= this.rules.maxGroups) return;
    for (const oldest of this.#groups.keys()) return this.#drop(oldest);
  }

  #drop(group: string): void {
    this.#length -= this.#groups.get(group)?.base.length ?? 0;
    this.#groups.delete(group);
  }
}
