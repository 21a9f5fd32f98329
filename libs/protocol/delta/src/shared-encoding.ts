import { encodeDelta, type DeltaAlgorithm } from './algorithm.js';

/**
 * Text of one event and its deltas to current bases: each is computed on demand, once for all subscribers with that
 * base. Null: a delta would not be shorter than the text.
 */
export class SharedEncoding {
  readonly #known = new Map<string, string | null>();

  /** `encoded` hears of each computation; for counting. */
  constructor(
    readonly text: string,
    private readonly algorithm: DeltaAlgorithm,
    private readonly encoded: () => void = () => {},
  ) {}

  /** The difference to a base in base64; null: the text itself is not longer. */
  from(base: string): string | null {
    const known = this.#known.get(base);
    if (known !== undefined) return known;
    this.encoded();
    const delta = encodeDelta(this.algorithm, base, this.text);
    const shorter = delta.length < Buffer.byteLength(this.text) ? delta : null;
    this.#known.set(base, shorter);
    return shorter;
  }
}
