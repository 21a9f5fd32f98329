import { pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ServiceError } from '@carillon/errors';

const derive = promisify(pbkdf2);

const SCHEME = 'pbkdf2-sha256';
const ITERATIONS = 120_000;
const KEY_BYTES = 32;
/** Concurrent derivations; the other two of the four pool threads stay free for other work. */
const MOST_RUNNING = 2;

let running = 0;

export const isLegacyRecord = (record: string): boolean => record.startsWith(`${SCHEME}$`);

/**
 * Verifies a token against a record of the older, slow form, off the event loop. At most two run at a time in a process.
 *
 * Rejects with ServiceError `service_unavailable` while two are running.
 */
export async function verifyLegacy(token: string, record: string): Promise<boolean> {
  const [, rounds, salt, key, ...more] = record.split('$');
  const iterations = Number(rounds);
  if (salt === undefined || key === undefined || more.length > 0) return false;
  if (!Number.isSafeInteger(iterations) || iterations < ITERATIONS || iterations > 10 * ITERATIONS)
    return false;
  const expected = Buffer.from(key, 'base64url');
  if (expected.length !== KEY_BYTES) return false;
  if (running >= MOST_RUNNING)
    throw new ServiceError('service_unavailable', {
      text: 'too many device identity tokens are being verified; retry in 1 second',
    });
  running += 1;
  try {
    const derived = await derive(token, Buffer.from(salt, 'base64url'), iterations, KEY_BYTES, 'sha256');
    return timingSafeEqual(derived, expected);
  } finally {
    running -= 1;
  }
}
