const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~';
const NUMBER = '([0-9A-Z_a-z~]+)';
const LENGTH = new RegExp(`^${NUMBER}\\n`);
const STEP = new RegExp(`${NUMBER}(?:@${NUMBER},|(:)|(;))`, 'y');
const MODULUS = 1n << 32n;

/**
 * Applies a delta by the format description, independently of our encoder: bytes as Latin-1 text, numbers as bigints,
 * the checksum by a view of words. Throws on any deviation from the format.
 */
export function readFossil(base: Buffer, delta: Buffer): Buffer {
  const source = base.toString('latin1');
  const text = delta.toString('latin1');
  const head = LENGTH.exec(text);
  if (head === null) throw new Error('no length');
  STEP.lastIndex = head[0].length;
  let target = '';
  for (;;) {
    const step = STEP.exec(text);
    if (step === null) throw new Error('neither a piece nor the end');
    const [, count = '', offset, isInsert, isEnd] = step;
    const number = numberOf(count);
    if (isEnd !== undefined) {
      const result = Buffer.from(target, 'latin1');
      if (STEP.lastIndex !== text.length) throw new Error('more behind the end');
      if (BigInt(result.length) !== numberOf(head[1] ?? '')) throw new Error('another length');
      if (checksumOf(result) !== number) throw new Error('another checksum');
      return result;
    }
    const from = isInsert === undefined ? Number(numberOf(offset ?? '')) : STEP.lastIndex;
    const piece = (isInsert === undefined ? source : text).slice(from, from + Number(number));
    if (BigInt(piece.length) !== number) throw new Error('a piece of what is not there');
    target += piece;
    if (isInsert !== undefined) STEP.lastIndex += piece.length;
  }
}

const numberOf = (digits: string): bigint =>
  Array.from(digits).reduce((value, digit) => value * 64n + BigInt(DIGITS.indexOf(digit)), 0n);

function checksumOf(target: Buffer): bigint {
  const padded = Buffer.concat([target, Buffer.alloc((4 - (target.length % 4)) % 4)]);
  const view = new DataView(padded.buffer, padded.byteOffset, padded.byteLength);
  let sum = 0n;
  for (let at = 0; at < padded.length; at += 4) sum += BigInt(view.getUint32(at));
  return sum % MODULUS;
}
