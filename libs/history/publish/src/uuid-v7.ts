import { randomUUID } from 'node:crypto';

/** Offset of the random part of a UUID, after its version. */
const RANDOM_AT = 15;

/**
 * Returns a new UUID that begins with the time, so that consecutive ids are adjacent in an index. Its random part
 * comes from batches of random UUIDs.
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
