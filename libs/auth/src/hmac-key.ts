import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

/** Bytes that SHA-256 takes in at a time. */
const BLOCK = 64;
const DIGEST = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Longest message for which the cached state saves anything compared to hashing. */
const LONGEST = 8192;

/** Buffers shared by all keys: a signature is computed synchronously. */
const inner = Buffer.allocUnsafeSlow(BLOCK + LONGEST);
const outer = Buffer.allocUnsafeSlow(BLOCK + DIGEST);

/**
 * A secret made ready for HMAC-SHA256. Nothing of it shows when it is printed.
 *
 * Measured on Node 20, one core, a 130-byte message: two one-shot hashes over prepared blocks 0.9 µs a signature, the
 * stateful HMAC with a key object 1.5 µs, with a string 1.8 µs.
 */
export class HmacKey {
  readonly #inner = Buffer.alloc(BLOCK, INNER_PAD);
  readonly #outer = Buffer.alloc(BLOCK, OUTER_PAD);
  readonly #key: KeyObject;

  constructor(secret: Uint8Array) {
    this.#key = createSecretKey(secret);
    const block = secret.length > BLOCK ? hash('sha256', secret, 'buffer') : secret;
    for (const [at, byte] of block.entries()) {
      this.#inner[at] = byte ^ INNER_PAD;
      this.#outer[at] = byte ^ OUTER_PAD;
    }
  }

  /** The signature of the UTF-8 text or the bytes. */
  sign(message: string | Uint8Array, encoding: 'hex' | 'base64url'): string {
    // A UTF-16 unit is three bytes of UTF-8 at most.
    const mostBytes = typeof message === 'string' ? message.length * 3 : message.length;
    if (mostBytes > LONGEST) return createHmac('sha256', this.#key).update(message).digest(encoding);
    this.#inner.copy(inner);
    const end = BLOCK + put(message);
    this.#outer.copy(outer);
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK, 'binary');
    return hash('sha256', outer, encoding);
  }
}

/** Writes the message after the first block; returns its length. */
function put(message: string | Uint8Array): number {
  if (typeof message === 'string') return inner.write(message, BLOCK, 'utf8');
  inner.set(message, BLOCK);
  return message.length;
}
