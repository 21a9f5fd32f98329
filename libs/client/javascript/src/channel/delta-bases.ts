/** Applies a delta to a base text. Throws if the delta does not match the base. */
export interface DeltaDecoder {
  /** The algorithm name used by the service. */
  readonly algorithm: 'fossil' | 'xdelta3';
  apply(base: Uint8Array, delta: Uint8Array): Uint8Array;
}

/** A delta as sent by the service. */
export interface Delta {
  readonly delta: string;
  readonly seq: number;
  readonly base_index: number;
  readonly algorithm?: string;
  readonly conflation_key?: string;
}

interface Base {
  readonly sequence: number;
  readonly text: string;
}

/** The limit of groups with a base per channel; the service keeps fewer. */
const MAX_GROUPS = 1000;

/** The last full text of each group of one channel. */
export class DeltaBases {
  readonly #bases = new Map<string, Base>();

  /** `decoders`: the preferred one first, which also decodes deltas without an algorithm. */
  constructor(private readonly decoders: readonly DeltaDecoder[]) {}

  keep(group: string, sequence: number, text: string): void {
    this.#bases.delete(group);
    this.#bases.set(group, { sequence, text });
    if (this.#bases.size > MAX_GROUPS) this.#bases.delete(this.#bases.keys().next().value ?? '');
  }

  forget(): void {
    this.#bases.clear();
  }

  /** Returns the text that results from the delta, or null if it cannot be applied and a resync is needed. */
  apply({ delta, seq, base_index: wanted, algorithm, conflation_key: group = '' }: Delta): string | null {
    const base = this.#bases.get(group);
    const decoder = this.decoders.find((one) => algorithm === undefined || one.algorithm === algorithm);
    if (base === undefined || decoder === undefined || base.sequence !== wanted) return null;
    try {
      const bytes = decoder.apply(new TextEncoder().encode(base.text), bytesOfBase64(delta));
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      this.keep(group, seq, text);
      return text;
    } catch {
      return null;
    }
  }
}

const bytesOfBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (character) => character.codePointAt(0) ?? 0);
