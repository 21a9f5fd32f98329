const PRIME = (1n << 130n) - 5n;
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

function numberOf(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let at = bytes.length - 1; at >= 0; at -= 1) value = (value << 8n) | BigInt(bytes[at] ?? 0);
  return value;
}

/** The 16-byte Poly1305 tag of a message under a one-time key of 32 bytes. */
export function poly1305(key: Uint8Array, message: Uint8Array): Uint8Array {
  const r = numberOf(key.subarray(0, 16)) & CLAMP;
  let sum = 0n;
  for (let at = 0; at < message.length; at += 16) {
    const block = message.subarray(at, at + 16);
    sum = ((sum + numberOf(block) + (1n << BigInt(block.length * 8))) * r) % PRIME;
  }
  const tag = (sum + numberOf(key.subarray(16, 32))) & ((1n << 128n) - 1n);
  return Uint8Array.from({ length: 16 }, (_, at) => Number((tag >> BigInt(at * 8)) & 255n));
}
