/** Number of hash slots of a cluster. */
const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** CRC-16 of every byte, most significant bit first. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
  return crc;
});

/** Returns the slot of a key or sharded channel: of its hash tag, if not empty. */
export function keySlot(key: string): number {
  const bytes = Buffer.from(key);
  let crc = 0;
  for (const byte of hashed(bytes)) crc = ((crc << 8) & 0xffff) ^ (TABLE[(crc >> 8) ^ byte] ?? 0);
  return crc % SLOTS;
}

function hashed(bytes: Buffer): Buffer {
  const open = bytes.indexOf('{');
  const close = open === -1 ? -1 : bytes.indexOf('}', open + 1);
  return close > open + 1 ? bytes.subarray(open + 1, close) : bytes;
}
