// The Kafka protocol: which requests the broker takes, and which brokers it says there are.
import { parse } from '../address.js';
import { withWire } from './wire.js';

/** @import { Wire } from './wire.js' */

const API_VERSIONS = 18;
const METADATA = 3;

/** One request in an early version, whose fields have fixed places.
 * @param {Wire} wire @param {number} key @param {number} version @param {Buffer} body */
async function request(wire, key, version, body) {
  const head = Buffer.alloc(14);
  head.writeInt32BE(10 + body.length, 0);
  head.writeInt16BE(key, 4);
  head.writeInt16BE(version, 6);
  head.writeInt32BE(1, 8);
  // No client name.
  head.writeInt16BE(-1, 12);
  wire.write(Buffer.concat([head, body]));
  const length = (await wire.take(4)).readInt32BE(0);
  return (await wire.take(length)).subarray(4);
}

/** The request kinds the broker takes. @param {string} url @returns {Promise<number[]>} */
export function kafkaApis(url) {
  return withWire(parse(url), async (wire) => {
    const answer = await request(wire, API_VERSIONS, 0, Buffer.alloc(0));
    if (answer.readInt16BE(0) !== 0) throw new Error(`error ${answer.readInt16BE(0)}`);
    return Array.from({ length: answer.readInt32BE(2) }, (_, index) => answer.readInt16BE(6 + index * 6));
  });
}

/** The brokers as the broker names them to clients, `host:port`. @param {string} url @returns {Promise<string[]>} */
export function kafkaBrokers(url) {
  return withWire(parse(url), async (wire) => {
    const noTopics = Buffer.alloc(4);
    const answer = await request(wire, METADATA, 1, noTopics);
    const brokers = [];
    let at = 4;
    for (let left = answer.readInt32BE(0); left > 0; left--) {
      const length = answer.readInt16BE(at + 4);
      const host = answer.toString('utf8', at + 6, at + 6 + length);
      brokers.push(`${host}:${answer.readInt32BE(at + 6 + length)}`);
      const rack = answer.readInt16BE(at + 10 + length);
      at += 12 + length + Math.max(rack, 0);
    }
    return brokers;
  });
}
