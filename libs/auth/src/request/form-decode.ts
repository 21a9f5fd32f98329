const PERCENT = 0x25;

/**
 * Decodes one name or value of a query: `+` is a space, `%XX` a byte, a malformed escape is kept, and the bytes are
 * read as UTF-8 (invalid bytes become U+FFFD).
 */
export function formDecode(raw: string): string {
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return decodeLeniently(spaced);
  }
}

function decodeLeniently(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = escapedByte(bytes, at);
    bytes[length++] = byte ?? bytes[at] ?? 0;
    if (byte !== null) at += 2;
  }
  return bytes.toString('utf8', 0, length);
}

/** Returns the byte of a well-formed escape at this offset; null if there is none. */
function escapedByte(bytes: Buffer, at: number): number | null {
  if (bytes[at] !== PERCENT) return null;
  const high = hexDigit(bytes[at + 1]);
  const low = hexDigit(bytes[at + 2]);
  return high === null || low === null ? null : high * 16 + low;
}

function hexDigit(code: number | undefined): number | null {
  if (code === undefined) return null;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : null;
}
