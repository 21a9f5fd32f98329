import { createHash } from 'node:crypto';

/** Limit of Pub/Sub for the id of a topic or subscription. */
const MAX_ID_LENGTH = 255;
const MAX_ORDERING_KEY_BYTES = 1024;

/**
 * Returns a prefix as it begins the ids of topics and subscriptions: characters that ids do not allow are
 * percent-encoded.
 *
 * @param block Path of the settings, such as `adapter.google_pubsub`; errors begin with it.
 * @param room Characters that drivers append at most.
 * @throws Error when no id can begin with the prefix.
 */
export function idPrefix(prefix: string, block: string, room: number): string {
  const encoded = [...Buffer.from(prefix, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~+-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  const setting = `${block}.prefix`;
  if (!/^[A-Za-z]/.test(prefix)) throw new Error(`${setting}: must begin with a letter (got "${prefix}")`);
  if (/^goog/i.test(prefix)) throw new Error(`${setting}: must not begin with "goog" (got "${prefix}")`);
  if (encoded.length + room > MAX_ID_LENGTH) {
    const limit = MAX_ID_LENGTH - room;
    throw new Error(`${setting}: has ${encoded.length} characters, percent-encoded; the limit is ${limit}`);
  }
  return encoded;
}

/** An ordering key within the limit of Pub/Sub: a longer key is replaced by its digest. */
export const orderingKey = (key: string): string =>
  Buffer.byteLength(key) <= MAX_ORDERING_KEY_BYTES
    ? key
    : createHash('sha256').update(key).digest('base64url');
