import { createHash } from 'node:crypto';

/** Names made of one by escaping are no longer than that, unless a broker takes less. */
const LONGEST_NAME = 100;
const DIGEST_CHARACTERS = 40;

/**
 * Escapes a queue name byte by byte for a broker, injectively. Longer names become a digest behind a mark that no
 * other name has.
 */
export function escapedName(queue: string, taken: RegExp, mark: string, longest = LONGEST_NAME): string {
  const name = [...Buffer.from(queue, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return taken.test(character) ? character : `${mark}${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
  if (name.length <= longest) return name;
  return `${mark}${mark}${createHash('sha256').update(queue, 'utf8').digest('hex').slice(0, DIGEST_CHARACTERS)}`;
}

/** Returns a prefix without trailing separators. */
export const trimmedPrefix = (prefix: string): string => prefix.replace(/[:._-]+$/, '');
