import { timingSafeEqual } from 'node:crypto';

/**
 * Compares byte for byte in a time that does not depend on where the two differ. Only the length may show, and
 * every expected value here has a length anyone can know.
 */
export function equalText(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
