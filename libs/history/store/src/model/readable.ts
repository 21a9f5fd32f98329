import type { StreamKind } from './stream.js';

/** Whether the content of a row is valid: frames are objects; presence data is any JSON or absent. */
export function isReadable(content: Buffer | string | null, kind: StreamKind): boolean {
  if (content === null) return kind === 'presence';
  try {
    const value: unknown = JSON.parse(content.toString());
    return kind === 'presence' || (typeof value === 'object' && value !== null);
  } catch {
    return false;
  }
}
