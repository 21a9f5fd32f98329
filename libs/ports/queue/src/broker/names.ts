import { createHash } from 'node:crypto';

/** Names made of one by escaping are no longer than that; a longer one is a digest behind a mark no other one has. */
const LONGEST_NAME = 100;

/** A queue's name with what a broker does not take escaped byte by byte, so that no two become the same. */
export function escapedName(queue: string, taken: RegExp, mark: string): string {
  const name = [...Buffer.from(queue, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return taken.test(character) ? character : `${mark}${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
  if (name.length <= LONGEST_NAME) return name;
  return `${mark}${mark}${createHash('sha256').update(queue, 'utf8').digest('hex')}`;
}

/** A prefix without what separates it from the names behind it. */
export const trimmedPrefix = (prefix: string): string => prefix.replace(/[:._-]+$/, '');
