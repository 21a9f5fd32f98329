import { ServiceError } from '@carillon/errors';

/** What bytes that are not UTF-8 became when the request line was read. */
const UNREADABLE = '\uFFFD';

/** Whether every escape of a path is complete and stands for UTF-8. */
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

/** What a request with another path reads. */
export const invalidPath = (): ServiceError =>
  new ServiceError('invalid_input', { text: 'the path is not valid UTF-8' });

/** A segment, percent-decoded once. @throws ServiceError `invalid_input` when it is not valid UTF-8. */
export function decodeSegment(text: string): string {
  if (!isDecodable(text)) throw invalidPath();
  return text.includes('%') ? decodeURIComponent(text) : text;
}
