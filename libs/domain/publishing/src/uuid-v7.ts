<<<<<<< HEAD
import { randomUUID } from 'node:crypto';
=======
import { randomPart } from './random-part.js';
>>>>>>> rest

/** Where the random part of a UUID begins, behind its version. */
const RANDOM_AT = 15;

/**
 * A new UUID that begins with the time, so that ids made one after another lie side by side in an index. What is random
 * in it is that of a random one, which are made many at a time.
 */
export function uuidV7(nowMs: number = Date.now()): string {
<<<<<<< HEAD
  const time = nowMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(RANDOM_AT)}`;
=======
  const bytes = randomPart(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return uuidText(bytes);
>>>>>>> rest
}

/** The same UUID for the same bytes, of which there must be 16. */
export function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return [0, 8, 12, 16, 20].map((start, at) => hex.slice(start, [8, 12, 16, 20, 32][at])).join('-');
}
