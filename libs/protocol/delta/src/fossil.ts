import { difference } from './difference.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~';

/** The difference in the delta format of Fossil: `{length}\n`, pieces, `{checksum};`. */
export function fossilDelta(base: Uint8Array, target: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [ascii(`${number(target.length)}\n`)];
  for (const { from, start, length } of difference(base, target)) {
    if (from === 'base') parts.push(ascii(`${number(length)}@${number(start)},`));
    else parts.push(ascii(`${number(length)}:`), target.subarray(start, start + length));
  }
  parts.push(ascii(`${number(checksum(target))};`));
  return Buffer.concat(parts);
}

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** Digits to the base of 64, the most significant first. */
function number(value: number): string {
  let digits = '';
  let rest = value;
  do {
    digits = DIGITS.charAt(rest % 64) + digits;
    rest = Math.floor(rest / 64);
  } while (rest > 0);
  return digits;
}

/** The sum of the big-endian words of 32 bits, the last one filled up with zeros. */
function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4) {
    const word =
      ((bytes[at] ?? 0) << 24) |
      ((bytes[at + 1] ?? 0) << 16) |
      ((bytes[at + 2] ?? 0) << 8) |
      (bytes[at + 3] ?? 0);
    sum = (sum + word) | 0;
  }
  return sum >>> 0;
}
