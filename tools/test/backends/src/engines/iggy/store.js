import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** @typedef {{ offset: number, timestamp: number, id: string, payload: string }} Message */
/** @typedef {{ messages: Message[] }} Partition */
/** @typedef {{ id: number, name: string, partitions: Partition[], offsets: Map<string, number> }} Topic */
/** @typedef {{ id: number, name: string, topics: Topic[] }} Stream */
/**
 * @typedef {{ do: 'stream', name: string }
 *   | { do: 'topic', stream: string, name: string, partitions: number }
 *   | { do: 'send', stream: string, topic: string, partition: number, timestamp: number, payloads: string[] }
 *   | { do: 'offset', stream: string, topic: string, key: string, offset: number | null }} Change
 */

/** Streams, topics, messages and consumer offsets. Every change is a line of a file, which a restart replays. */
export class Store {
  /** @type {Stream[]} */
  streams = [];
  #file;
  #lastTimestamp = 0;

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
    if (!existsSync(file)) return;
    const lines = readFileSync(file, 'utf8').split('\n');
    // Text after the last line end was not written completely.
    for (const line of lines.slice(0, -1)) this.#apply(JSON.parse(line));
  }

  /** @param {string} name by number or name @returns {Stream | undefined} */
  stream(name) {
    return this.streams.find((one) => one.name === name || String(one.id) === name);
  }

  /** @param {Stream} stream @param {string} name by number or name @returns {Topic | undefined} */
  topic(stream, name) {
    return stream.topics.find((one) => one.name === name || String(one.id) === name);
  }

  /** @param {Change} change */
  change(change) {
    this.#apply(change);
    appendFileSync(this.#file, `${JSON.stringify(change)}\n`);
  }

  /** Microseconds since 1970, never the same twice. */
  now() {
    this.#lastTimestamp = Math.max(this.#lastTimestamp + 1, Date.now() * 1000);
    return this.#lastTimestamp;
  }

  /** @param {Change} change */
  #apply(change) {
    if (change.do === 'stream') {
      this.streams.push({ id: this.streams.length, name: change.name, topics: [] });
      return;
    }
    const stream = /** @type {Stream} */ (this.stream(change.stream));
    if (change.do === 'topic') {
      const partitions = Array.from({ length: change.partitions }, () => ({ messages: [] }));
      stream.topics.push({ id: stream.topics.length, name: change.name, partitions, offsets: new Map() });
      return;
    }
    const topic = /** @type {Topic} */ (this.topic(stream, change.topic));
    if (change.do === 'offset') {
      if (change.offset === null) topic.offsets.delete(change.key);
      else topic.offsets.set(change.key, change.offset);
      return;
    }
    const { messages } = /** @type {Partition} */ (topic.partitions[change.partition]);
    for (const payload of change.payloads) {
      const offset = messages.length;
      messages.push({ offset, timestamp: change.timestamp, id: String(offset + 1), payload });
    }
  }
}
