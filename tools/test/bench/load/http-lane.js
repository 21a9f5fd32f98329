import { createConnection } from 'node:net';
import { BenchError } from '../settings/bench-error.js';
import { ResponseCounter } from './response-counter.js';

const ANSWER_TIMEOUT_MS = 15_000;
const MAX_RECONNECTS = 100;

/** @typedef {(answer: { ok: boolean, problem: string }) => void} OnAnswer */

/**
 * One keep-alive HTTP connection with at most `depth` requests under way. A connection the server closes is opened again
 * (100 times at most), and what was under way counts as failed.
 */
export class HttpLane {
  /** Called whenever there may be room for another request. */
  onFree = () => {};
  /** @type {OnAnswer[]} */
  #underWay = [];
  #reconnects = 0;
  #closed = false;

  /** @param {{ host: string, port: number }} address @param {number} depth */
  constructor(address, depth) {
    this.address = address;
    this.depth = depth;
    this.socket = this.#connect();
  }

  get free() {
    return !this.#closed && this.#underWay.length < this.depth;
  }

  /** Sends prepared bytes; only while `free`. @param {Buffer} request @param {OnAnswer} onAnswer */
  send(request, onAnswer) {
    this.#underWay.push(onAnswer);
    this.socket.write(request);
  }

  /** Sends one request and fails unless it is answered with 2xx. @param {Buffer} request @returns {Promise<void>} */
  probe(request) {
    return new Promise((done, failed) => {
      const timer = setTimeout(() => failed(new BenchError('no answer to a request')), ANSWER_TIMEOUT_MS);
      this.send(request, ({ ok, problem }) => {
        clearTimeout(timer);
        if (ok) done();
        else failed(new BenchError(`the server refused a request: ${problem}`));
      });
    });
  }

  close() {
    this.#closed = true;
    this.socket.destroy();
  }

  #connect() {
    const socket = createConnection({ host: this.address.host, port: this.address.port, noDelay: true });
    const responses = new ResponseCounter((status, excerpt) => this.#answer(status, excerpt));
    let reason = 'the server closed the connection';
    socket.on('data', (chunk) => {
      try {
        responses.push(chunk);
      } catch (error) {
        socket.destroy(/** @type {Error} */ (error));
      }
    });
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.on('close', () => this.#lost(reason));
    return socket;
  }

  /** @param {number} status @param {string} excerpt */
  #answer(status, excerpt) {
    const ok = status >= 200 && status < 300;
    this.#underWay.shift()?.({ ok, problem: ok ? '' : `${status} ${excerpt}` });
    this.onFree();
  }

  /** @param {string} problem */
  #lost(problem) {
    const failed = this.#underWay;
    this.#underWay = [];
    if (!this.#closed && this.#reconnects < MAX_RECONNECTS) {
      this.#reconnects += 1;
      this.socket = this.#connect();
    } else {
      this.#closed = true;
    }
    for (const onAnswer of failed) onAnswer({ ok: false, problem });
    this.onFree();
  }
}
