// Inputs are bytes, so that all of them can be saved and mutated alike. What a target wants as text may hold halves of
// surrogate pairs, which UTF-8 cannot say: the three bytes it would need are read as that half.

/** Stands between the fields of an input that has several. */
export const FIELD_END = Buffer.from('␞');

const HALVES = /\xed[\xa0-\xbf][\x80-\xbf]/g;

/** @param {Buffer} bytes */
export function textOf(bytes) {
  if (!bytes.includes(0xed)) return bytes.toString('utf8');
  const latin = bytes.toString('latin1');
  let text = '';
  let at = 0;
  for (const found of latin.matchAll(HALVES)) {
    text += bytes.toString('utf8', at, found.index) + half(bytes, found.index);
    at = found.index + found[0].length;
  }
  return text + bytes.toString('utf8', at);
}

/** @param {Buffer} bytes @param {number} at */
const half = (bytes, at) =>
  String.fromCharCode(0xd000 | (((bytes[at + 1] ?? 0) & 63) << 6) | ((bytes[at + 2] ?? 0) & 63));

/** The fields of an input, always `count` of them: missing ones are empty, further ones dropped.
 * @param {Buffer} bytes @param {number} count @returns {string[]} */
export function fieldsOf(bytes, count) {
  const fields = splitFields(bytes).map(textOf);
  return Array.from({ length: count }, (_, index) => fields[index] ?? '');
}

/** @param {Buffer} bytes @returns {Buffer[]} */
export function splitFields(bytes) {
  const fields = [];
  let at = 0;
  for (let end = bytes.indexOf(FIELD_END); end >= 0; end = bytes.indexOf(FIELD_END, at)) {
    fields.push(bytes.subarray(at, end));
    at = end + FIELD_END.length;
  }
  fields.push(bytes.subarray(at));
  return fields;
}

/** @param {readonly Buffer[]} fields */
export const joinFields = (fields) =>
  Buffer.concat(fields.flatMap((field, index) => (index === 0 ? [field] : [FIELD_END, field])));
