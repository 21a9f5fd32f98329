import { fossilDelta } from './fossil.js';
import { vcdiffDelta } from './vcdiff.js';

/** Encoding of deltas. */
export type DeltaAlgorithm = 'fossil' | 'xdelta3';

const SPELLINGS: ReadonlyMap<string, DeltaAlgorithm> = new Map([
  ['fossil', 'fossil'],
  ['xdelta3', 'xdelta3'],
  ['vcdiff', 'xdelta3'],
]);

/** Returns the algorithm named by a client; null: unknown. */
export const algorithmNamed = (text: string): DeltaAlgorithm | null =>
  SPELLINGS.get(text.toLowerCase()) ?? null;

/** The difference from base to target, in standard base64. Linear in both. */
export function encodeDelta(algorithm: DeltaAlgorithm, base: string, target: string): string {
  const encode = algorithm === 'fossil' ? fossilDelta : vcdiffDelta;
  return Buffer.from(encode(Buffer.from(base), Buffer.from(target))).toString('base64');
}
