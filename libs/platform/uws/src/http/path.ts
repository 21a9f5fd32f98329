import { ServiceError } from '@carillon/errors';

/** Replacement character of bytes in the request line that are not UTF-8. */
const UNREADABLE = '\uFFFD';

/** Whether every escape of a path is complete and decodes to UTF-8. */
export function isDecodable(path: string): boolean {
  if (path.includes(UNREADABLE)) return false;
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Error of a request with an undecodable path. */
export const invalidPath = (): ServiceError =>
  new ServiceError('invalid_input', { text: 'the path is not valid UTF-8' });

/** A segment, percent-decoded once. @throws ServiceError `invalid_input` when it is not valid UTF-8. */
export function decodeSegment(text: string): string {
  if (!isDecodable(text)) throw invalidPath();
  return text.includes('%') ? decodeURIComponent(text) : text;
}
