import { createPrivateKey, createPublicKey, sign } from 'node:crypto';

/** Who a client is without a secret that ever leaves it: it signs what the server gives it to sign. */
export interface Nkey {
  /** As servers write it: `U` and 55 more characters. */
  readonly publicKey: string;
  /** In base64url, without padding. */
  readonly sign: (nonce: string) => string;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Five bits each, as the letter they begin with in base32. */
const SEED = 18;
const USER = 20;
const KEY_BYTES = 32;
/** What stands before an Ed25519 key of 32 bytes in PKCS#8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The user whom a seed (`SU…`) makes. Throws without quoting it. */
export function nkeyOf(seed: string): Nkey {
  const raw = checked(decoded(seed.trim()));
  const [first = 0, second = 0] = raw;
  const kind = ((first & 0b111) << 2) | (second >> 6);
  if (first >> 3 !== SEED || kind !== USER || raw.length !== 2 + KEY_BYTES) throw new Error(WRONG);
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, raw.subarray(2)]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: encoded(withChecksum(Buffer.concat([Buffer.of(USER << 3), spki.subarray(-KEY_BYTES)]))),
    sign: (nonce) => sign(null, Buffer.from(nonce), key).toString('base64url'),
  };
}

const WRONG = 'not an nkey seed of a user';

function decoded(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of text) {
    const value = ALPHABET.indexOf(letter);
    if (value < 0) throw new Error(WRONG);
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  const whole = Buffer.from(bytes);
  if (encoded(whole) !== text) throw new Error(WRONG);
  return whole;
}

function encoded(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(held >> (bits - 5)) & 0b11111];
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 0b11111];
}

/** What stands before its checksum. */
function checked(bytes: Buffer): Buffer {
  const body = bytes.subarray(0, -2);
  if (bytes.length < 3 || !withChecksum(body).equals(bytes)) throw new Error(WRONG);
  return body;
}

/** CRC-16/XMODEM, the low byte first. */
function withChecksum(body: Buffer): Buffer {
  let crc = 0;
  for (const byte of body) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return Buffer.concat([body, Buffer.of(crc & 0xff, crc >> 8)]);
}
