import { pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ServiceError } from '@carillon/errors';
import { FairSlots, SlotsFull } from '@carillon/runtime';

const derive = promisify(pbkdf2);

const SCHEME = 'pbkdf2-sha256';
const ITERATIONS = 120_000;
const KEY_BYTES = 32;
/** Concurrent derivations; the other two of the four pool threads stay free for other work. Apps take turns. */
const slots = new FairSlots({ atOnce: 2, atOncePerOwner: 1, waitingPerOwner: 2 });

export const isLegacyRecord = (record: string): boolean => record.startsWith(`${SCHEME}$`);

/**
 * Verifies a token of a device of an app against a record of the older, slow form, off the event loop. One derivation of
 * an app runs at a time, two in the process.
 *
 * Rejects with ServiceError `service_unavailable` if two of the app are waiting.
 */
export async function verifyLegacy(appId: string, token: string, record: string): Promise<boolean> {
  const [, rounds, salt, key, ...more] = record.split('$');
  const iterations = Number(rounds);
  if (salt === undefined || key === undefined || more.length > 0) return false;
  if (!Number.isSafeInteger(iterations) || iterations < ITERATIONS || iterations > 10 * ITERATIONS)
    return false;
  const expected = Buffer.from(key, 'base64url');
  if (expected.length !== KEY_BYTES) return false;
  try {
    return await slots.run(appId, async () => {
      const derived = await derive(token, Buffer.from(salt, 'base64url'), iterations, KEY_BYTES, 'sha256');
      return timingSafeEqual(derived, expected);
    });
  } catch (error) {
    if (!(error instanceof SlotsFull)) throw error;
    throw new ServiceError('service_unavailable', {
      text: 'too many device identity tokens of this app are being verified; retry in 1 second',
    });
  }
}
