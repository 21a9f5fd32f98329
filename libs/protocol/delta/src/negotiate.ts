import { algorithmNamed, type DeltaAlgorithm } from './algorithm.js';

/** What a client asked for. Algorithm null: it leaves the choice to the service. */
export interface DeltaWish {
  readonly enabled: boolean;
  readonly algorithm: DeltaAlgorithm | null;
}

const OFF: DeltaWish = { enabled: false, algorithm: null };
const ON: DeltaWish = { enabled: true, algorithm: null };
const OFF_WORDS: ReadonlySet<string> = new Set(['disabled', 'none', 'false']);

/** The `delta` of a subscribe. Null: it says nothing, or nothing that can be understood. */
export function readDeltaWish(value: unknown): DeltaWish | null {
  if (typeof value === 'boolean') return value ? ON : OFF;
  if (typeof value === 'string') {
    return OFF_WORDS.has(value.toLowerCase()) ? OFF : { enabled: true, algorithm: algorithmNamed(value) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { enabled, algorithm } = value as { enabled?: unknown; algorithm?: unknown };
  if (enabled === false) return OFF;
  return { enabled: true, algorithm: typeof algorithm === 'string' ? algorithmNamed(algorithm) : null };
}

/**
 * The algorithm for a connection that lists what it can: the service's own if listed, else the first that the service
 * knows. Null: none of them. An absent list leaves the choice to the service.
 */
export function chooseAlgorithm(
  offered: readonly string[] | null,
  configured: DeltaAlgorithm,
): DeltaAlgorithm | null {
  if (offered === null) return configured;
  const known = offered.map(algorithmNamed).filter((one) => one !== null);
  return known.includes(configured) ? configured : (known[0] ?? null);
}
