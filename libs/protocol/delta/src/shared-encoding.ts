import { encodeDelta, type DeltaAlgorithm } from './algorithm.js';

/**
 * One event's text and its differences to the bases that are around: each is computed when first asked for, once for
 * everybody who holds that base. Null: a difference would not be shorter than the text.
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
