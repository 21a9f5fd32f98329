import { createConnection } from 'node:net';

const EVERY_MS = 100;
const CALLS = /cmdstat_(?:eval|evalsha):calls=(\d+)/g;

/** Watches how many scripts the store was asked to run: one is one round trip of a node. */
export class RedisCalls {
  calls = 0;
  #text = '';

  /** @param {string} host @param {number} port */
  constructor(host, port) {
    this.socket = createConnection({ host, port, noDelay: true });
    this.socket.on('error', () => this.close());
    this.socket.on('data', (bytes) => this.#read(bytes.toString('latin1')));
    const ask = () => this.socket.write('INFO commandstats\r\n');
    this.timer = setInterval(ask, EVERY_MS);
  }

  close() {
    clearInterval(this.timer);
    this.socket.destroy();
  }

  /** @param {string} text */
  #read(text) {
    this.#text += text;
    const length = Number(/^\$(\d+)\r\n/.exec(this.#text)?.[1] ?? Infinity);
    const end = this.#text.indexOf('\r\n') + 2 + length + 2;
    if (this.#text.length < end) return;
    const found = [...this.#text.slice(0, end).matchAll(CALLS)];
    this.calls = found.reduce((sum, [, calls]) => sum + Number(calls), 0);
    this.#text = this.#text.slice(end);
  }
}
