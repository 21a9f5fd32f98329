/** UTF-8 bytes that one UTF-16 unit can need. */
const BYTES_PER_UNIT = 3;

/** Whether a text stays within so many UTF-8 bytes. Counts only where the number of units does not settle it. */
export function withinBytes(text: string, maxBytes: number): boolean {
  if (text.length * BYTES_PER_UNIT <= maxBytes) return true;
  return text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes;
}
