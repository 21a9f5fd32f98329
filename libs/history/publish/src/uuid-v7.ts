import { randomUUID } from 'node:crypto';

/** Where the random part of a UUID begins, behind its version. */
const RANDOM_AT = 15;

/**
 * A new UUID that begins with the time, so that ids made one after another lie side by side in an index. What is random
 * in it is that of a random one, which are made many at a time.
 */
export function uuidV7(nowMs: number = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(RANDOM_AT)}`;
}

/** The same UUID for the same bytes, of which there must be 16. */
export function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return [0, 8, 12, 16, 20].map((start, at) => hex.slice(start, [8, 12, 16, 20, 32][at])).join('-');
}
