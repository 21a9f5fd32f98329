import { algorithmNamed, type DeltaAlgorithm } from './algorithm.js';

/** Delta request of a client. Algorithm null: chosen by the service. */
export interface DeltaWish {
  readonly enabled: boolean;
  readonly algorithm: DeltaAlgorithm | null;
}

const OFF: DeltaWish = { enabled: false, algorithm: null };
const ON: DeltaWish = { enabled: true, algorithm: null };
const OFF_WORDS: ReadonlySet<string> = new Set(['disabled', 'none', 'false']);

/** Parses the `delta` of a subscribe. Null: missing or invalid. */
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
 * Chooses the algorithm of a connection from its list: the service's own if listed, else the first known one. Null:
 * none. Without a list the service chooses.
 */
export function chooseAlgorithm(
  offered: readonly string[] | null,
  configured: DeltaAlgorithm,
): DeltaAlgorithm | null {
  if (offered === null) return configured;
  const known = offered.map(algorithmNamed).filter((one) => one !== null);
  return known.includes(configured) ? configured : (known[0] ?? null);
}
