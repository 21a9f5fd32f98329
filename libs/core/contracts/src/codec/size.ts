/** UTF-8 bytes that one UTF-16 unit can need. */
const BYTES_PER_UNIT = 3;

/** Whether a text has at most `maxBytes` UTF-8 bytes. Counts only if the number of code units does not decide it. */
export function withinBytes(text: string, maxBytes: number): boolean {
  if (text.length * BYTES_PER_UNIT <= maxBytes) return true;
  return text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes;
}
