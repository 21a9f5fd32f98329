// A byte order mark stays in the text, where JSON.parse refuses it.
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a frame's bytes; null when they are not UTF-8. The text is a copy: the bytes may be reused. */
export function utf8Text(bytes: ArrayBuffer): string | null {
  try {
    return STRICT.decode(bytes);
  } catch {
    return null;
  }
}
