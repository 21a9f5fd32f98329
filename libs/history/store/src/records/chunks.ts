/** UTF-8 bytes that a UTF-16 unit takes at most. */
const MAX_BYTES = 3;

/** Splits a text into chunks of at most that many UTF-8 bytes each; no chunk ends inside a code point. */
export function chunksOf(text: string, bytes: number): string[] {
  if (Buffer.byteLength(text) <= bytes) return [text];
  const units = Math.floor(bytes / MAX_BYTES);
  const chunks: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + units);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    chunks.push(text.slice(from, to));
    from = to;
  }
  return chunks;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Prefix of the row of a split value; no encoded value begins with it. */
const MARK = '+';

export const splitMark = (parts: number): string => `${MARK}${parts}`;

/** The number of parts that the value was split into; 0: it was not. */
export const splitParts = (value: string): number => (value.startsWith(MARK) ? Number(value.slice(1)) : 0);
