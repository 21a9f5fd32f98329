/**
 * Whether a value is nested deeper than `levels`. JSON is parsed iteratively and serialized recursively, so stored
 * and traversed values need a limit. Recurses no deeper than it; bytes are no list.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeperThan(one, levels - 1));
}
