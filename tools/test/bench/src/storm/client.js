// One subscriber of the storm on a bare TCP socket, which remembers where it is in its channel.
import { createConnection } from 'node:net';
import { FrameCounter, OPCODE } from '../../load/frame-counter.js';
import { clientFrame, upgradeRequest } from '../../load/frames.js';
import { BenchError } from '../../settings/bench-error.js';

const END_OF_HEAD = '\r\n\r\n';
const SERIAL = /"serial":(\d+)/;
const STREAM_ID = /"stream_id":"([^"]+)"/;

const ERROR = /^\{"event":"[a-z]+:error"/;
/** Codes of refusals after which clients ask again. */
const FOR_NOW = /"code":(4100|4303)/;
const AGAIN_MS = 200;

/** What all clients of a storm have come to. */
export class Tally {
  /** Messages that came again, and that a client drops by their serial. */
  repeated = 0;
  /** Messages that are missing though nobody said so. */
  silentGaps = 0;
  recovered = 0;
  /** Clients that were told that they cannot go on. */
  told = 0;
  replayed = 0;
  /** Subscribes that were refused for now. */
  refused = 0;
  received = 0;
}

export class StormClient {
  /** Null: it never was anywhere. @type {string | null} */
  streamId = null;
  /** Of the last message. */
  serial = 0;
  isBack = false;
  /** @type {(() => void) | null} */
  #back = null;
  /** @type {((error: Error) => void) | null} */
  #failed = null;
  /** @type {import('node:net').Socket | null} */
  #socket = null;

  /**
   * @param {{ ports: readonly number[], key: string }} service
   * @param {string} channel
   * @param {{ protocol: 1 | 2, tally: Tally, at: number }} more `at`: which of all clients it is
   */
  constructor(service, channel, { protocol, tally, at }) {
    this.attempts = at;
    this.service = service;
    this.channel = channel;
    this.protocol = protocol;
    this.tally = tally;
  }

  /** Connects, goes on where it was, and resolves when it is subscribed and knows what became of that. */
  connect() {
    const { ports, key } = this.service;
    // Each time another one, as behind a balancer.
    const port = ports[this.attempts % ports.length] ?? 0;
    this.attempts += 1;
    const path = `/app/${key}?protocol=${this.protocol === 2 ? 2 : 7}`;
    return new Promise((/** @type {(value: void) => void} */ done, failed) => {
      const socket = createConnection({ host: '127.0.0.1', port, noDelay: true });
      this.#socket = socket;
      this.#back = done;
      this.#failed = failed;
      socket.on('error', failed);
      const counter = new FrameCounter({
        onFrame: (opcode, payload) => {
          if (opcode === OPCODE.text) this.#take(payload.toString('latin1'));
          if (opcode === OPCODE.close) failed(new Error('the server closed the connection'));
        },
        keepData: () => true,
      });
      let isUpgraded = false;
      let head = '';
      socket.on('data', (chunk) => {
        if (isUpgraded) return counter.push(chunk);
        head += chunk.toString('latin1');
        const end = head.indexOf(END_OF_HEAD);
        if (end < 0) return;
        isUpgraded = true;
        counter.push(Buffer.from(head.slice(end + END_OF_HEAD.length), 'latin1'));
      });
      socket.write(upgradeRequest(`127.0.0.1:${port}`, path));
    });
  }

  cut() {
    this.isBack = false;
    this.#failed?.(new BenchError(`${this.channel} was not answered in time`));
    this.#socket?.removeAllListeners('data');
    this.#socket?.on('error', () => {});
    this.#socket?.resetAndDestroy();
  }

  /** @param {object} event */
  #send(event) {
    this.#socket?.write(clientFrame(OPCODE.text, Buffer.from(JSON.stringify(event))));
  }

  /** @param {string} text */
  #take(text) {
    if (text.startsWith('{"event":"news"')) return this.#message(text);
    if (ERROR.test(text)) return this.#refused(text);
    if (text.includes(':connection_established"')) return this.#begin();
    if (text.includes(':subscription_succeeded"')) return this.#subscribed(text);
    if (text.startsWith('{"event":"service:resume_success"') && text.includes(this.channel))
      this.#resumed(text);
  }

  #begin() {
    const { channel, streamId: stream_id, serial } = this;
    const positions = { [channel]: { stream_id, serial } };
    if (stream_id !== null) this.#send({ event: 'service:resume', data: { channel_positions: positions } });
    this.#send({ event: 'pusher:subscribe', data: { channel } });
  }

  /** A service that is too busy says so: whoever is told asks again. @param {string} text */
  #refused(text) {
    if (!FOR_NOW.test(text)) return this.#failed?.(new BenchError(text));
    this.tally.refused += 1;
    const socket = this.#socket;
    setTimeout(
      () => {
        if (socket === this.#socket && !this.isBack) this.#begin();
      },
      AGAIN_MS * (1 + Math.random()),
    );
  }

  /** @param {string} text */
  #subscribed(text) {
    if (this.protocol === 1) return this.#isBack();
    if (this.streamId !== null) return;
    this.#position(text);
    this.#isBack();
  }

  /** @param {string} text */
  #resumed(text) {
    const [recovered = '', failed = ''] = text.split('\\"failed\\"');
    if (recovered.includes(`\\"${this.channel}\\"`)) {
      this.tally.recovered += 1;
      this.tally.replayed += Number(/replayed\\":(\d+)/.exec(recovered)?.[1] ?? 0);
    } else if (failed.includes(`\\"${this.channel}\\"`)) {
      this.tally.told += 1;
      this.streamId = null;
    }
    this.#isBack();
  }

  /** @param {string} text */
  #message(text) {
    this.tally.received += 1;
    if (this.protocol === 1) return;
    const serial = Number(SERIAL.exec(text)?.[1] ?? 0);
    if (this.streamId === null) return this.#position(text);
    if (serial <= this.serial) {
      this.tally.repeated += 1;
      return;
    }
    if (serial > this.serial + 1) this.tally.silentGaps += 1;
    this.serial = serial;
  }

  /** @param {string} text */
  #position(text) {
    this.streamId = STREAM_ID.exec(text)?.[1] ?? null;
    this.serial = Number(SERIAL.exec(text)?.[1] ?? 0);
  }

  #isBack() {
    this.isBack = true;
    this.#back?.();
    this.#back = null;
    this.#failed = null;
  }
}
