// As little of MessagePack as the bench says in it.
const SMALL = { number: 0x80, text: 32, items: 16 };

/** @param {number} short @param {number} most @param {number} wide first of two bytes of a length @param {number} length */
const head = (short, most, wide, length) =>
  length < most ? Buffer.from([short | length]) : Buffer.from([wide, length >> 8, length & 0xff]);

/** Numbers are whole and below 2^32, texts and lists below 2^16. @param {unknown} value @returns {Buffer} */
export function packed(value) {
  if (typeof value === 'number') {
    if (value < SMALL.number) return Buffer.from([value]);
    const bytes = Buffer.from([0xce, 0, 0, 0, 0]);
    bytes.writeUInt32BE(value, 1);
    return bytes;
  }
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([head(0xa0, SMALL.text, 0xda, text.length), text]);
  }
  if (Array.isArray(value))
    return Buffer.concat([head(0x90, SMALL.items, 0xdc, value.length), ...value.map(packed)]);
  const members = Object.entries(Object(value));
  return Buffer.concat([head(0x80, SMALL.items, 0xde, members.length), ...members.flat().map(packed)]);
}

/** What `packed` says, and nothing else. @param {Buffer} bytes @returns {Record<string, any>} */
export function unpacked(bytes) {
  let at = 0;
  const text = (/** @type {number} */ length) => bytes.toString('utf8', at, (at += length));
  const wide = () => bytes.readUInt16BE((at += 2) - 2);
  const list = (/** @type {number} */ length) => Array.from({ length }, next);
  const members = (/** @type {number} */ length) =>
    Object.fromEntries(Array.from({ length }, () => [next(), next()]));
  /** @returns {any} */
  function next() {
    const head = bytes.readUInt8(at);
    at += 1;
    if (head < 0x80) return head;
    if (head < 0x90) return members(head & 15);
    if (head < 0xa0) return list(head & 15);
    if (head < 0xc0) return text(head & 31);
    if (head === 0xce) return bytes.readUInt32BE((at += 4) - 4);
    if (head === 0xda) return text(wide());
    return head === 0xdc ? list(wide()) : members(wide());
  }
  return Object(next());
}
