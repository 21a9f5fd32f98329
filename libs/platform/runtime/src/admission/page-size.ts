import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';

/** Type of the auxiliary-vector entry that holds the page size. */
const AT_PAGESZ = 6;
const ENTRY_BYTES = 16;

/** Size of a memory page according to the kernel; null if unknown (not 64-bit Linux). */
export function pageSizeBytes(): number | null {
  try {
    return pageSizeFrom(readFileSync('/proc/self/auxv'));
  } catch {
    return null;
  }
}

/** Reads the page size out of an auxiliary vector of 64-bit pairs. */
export function pageSizeFrom(vector: Buffer): number | null {
  const read = (at: number): bigint =>
    endianness() === 'LE' ? vector.readBigUInt64LE(at) : vector.readBigUInt64BE(at);
  for (let at = 0; at + ENTRY_BYTES <= vector.length; at += ENTRY_BYTES) {
    if (read(at) === BigInt(AT_PAGESZ)) return Number(read(at + ENTRY_BYTES / 2));
  }
  return null;
}
