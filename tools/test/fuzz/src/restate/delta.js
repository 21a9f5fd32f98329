// Section 17.3 of the WebSocket page read from the receiver's side: what a difference makes of its base.
import { must, mustEqual } from '../broken.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~';

/** @param {Buffer} base @param {Buffer} delta @returns {Buffer} */
export function appliedFossil(base, delta) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (; DIGITS.includes(String.fromCharCode(delta[at] ?? 0)) && at < delta.length; at += 1) {
      value = value * 64 + DIGITS.indexOf(String.fromCharCode(delta[at] ?? 0));
    }
    return value;
  };
  const sign = () => String.fromCharCode(delta[at++] ?? 0);
  const length = number();
  mustEqual(sign(), '\n', 'end of the length');
  const parts = [];
  for (;;) {
    const count = number();
    const kind = sign();
    if (kind === ';') {
      const target = Buffer.concat(parts);
      mustEqual(at, delta.length, 'end of the difference');
      mustEqual(target.length, length, 'length');
      mustEqual(count, checksum(target), 'checksum');
      return target;
    }
    if (kind === '@') {
      const offset = number();
      mustEqual(sign(), ',', 'end of a copy');
      must(offset + count <= base.length, 'a copy lies within the base');
      parts.push(base.subarray(offset, offset + count));
    } else {
      mustEqual(kind, ':', 'kind of a piece');
      parts.push(delta.subarray(at, at + count));
      at += count;
    }
  }
}

/** @param {Buffer} bytes */
function checksum(bytes) {
  const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  let sum = 0;
  for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) % 2 ** 32;
  return sum;
}

/** A number of seven bits a byte. @param {Buffer} from @param {{ at: number }} place */
function integer(from, place) {
  let value = 0;
  for (;;) {
    const byte = from[place.at++] ?? 0;
    value = value * 128 + (byte & 127);
    if (byte < 128) return value;
  }
}

/** The part of RFC 3284 that the service writes. @param {Buffer} base @param {Buffer} delta @returns {Buffer} */
export function appliedVcdiff(base, delta) {
  let at = 5;
  mustEqual(delta.subarray(0, at).toString('hex'), 'd6c3c40000', 'header');
  const head = { at };
  if (delta[head.at++] === 1) {
    mustEqual(integer(delta, head), base.length, 'length of the source');
    mustEqual(integer(delta, head), 0, 'start of the source');
  }
  const size = integer(delta, head);
  mustEqual(head.at + size, delta.length, 'length of the window');
  const length = integer(delta, head);
  mustEqual(delta[head.at++], 0, 'compression');
  const [data = 0, instructions = 0, addresses = 0] = [0, 0, 0].map(() => integer(delta, head));
  at = head.at;
  const added = delta.subarray(at, at + data);
  const steps = delta.subarray(at + data, at + data + instructions);
  const places = delta.subarray(at + data + instructions);
  mustEqual(places.length, addresses, 'length of the addresses');
  const [step, place, parts] = [{ at: 0 }, { at: 0 }, /** @type {Buffer[]} */ ([])];
  let taken = 0;
  while (step.at < steps.length) {
    const code = steps[step.at++] ?? 0;
    must(code >= 1 && code <= 34, 'only additions and copies from an address');
    if (code <= 18) {
      const count = code === 1 ? integer(steps, step) : code - 1;
      parts.push(added.subarray(taken, taken + count));
      taken += count;
    } else {
      const count = code === 19 ? integer(steps, step) : code - 16;
      const from = integer(places, place);
      must(from + count <= base.length, 'a copy lies within the base');
      parts.push(base.subarray(from, from + count));
    }
  }
  const target = Buffer.concat(parts);
  mustEqual(taken, added.length, 'bytes added');
  mustEqual(target.length, length, 'length');
  return target;
}
