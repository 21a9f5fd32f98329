import { isUtf8 } from 'node:buffer';

/** The text of a frame's bytes; null when they are not UTF-8. The text is a copy: the bytes may be reused. */
export function utf8Text(bytes: ArrayBuffer): string | null {
  const view = Buffer.from(bytes);
  return isUtf8(view) ? view.toString('utf8') : null;
}
