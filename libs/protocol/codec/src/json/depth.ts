/**
 * Whether anything lies in more lists and objects than so many. JSON is read without a stack and written with one, so
 * what is kept or walked through must have a bound. Walks no deeper than it itself; bytes are no list.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeperThan(one, levels - 1));
}
