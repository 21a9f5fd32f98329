// One TCP connection, read as bytes or lines in order: all that a readiness check of a binary protocol needs.
import { connect } from 'node:net';

const ANSWER_LIMIT_MS = 5000;
/** No readiness answer comes near this; a peer that sends more is not the engine. */
const LARGEST_BUFFER_BYTES = 1_000_000;

export class Wire {
  #socket;
  #received = Buffer.alloc(0);
  /** @type {Error | null} */
  #failure = null;
  /** @type {(() => void) | null} */
  #wake = null;

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      if (this.#received.length > LARGEST_BUFFER_BYTES) socket.destroy(new Error('too long an answer'));
      this.#wake?.();
    });
    socket.on('connect', () => this.#wake?.());
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the connection was closed')));
  }

  /** @param {Error} error */
  #fail(error) {
    this.#failure ??= error;
    this.#wake?.();
  }

  /** Resolves once the peer has accepted the connection. */
  async connected() {
    while (this.#socket.connecting && this.#failure === null) await this.#change();
    if (this.#failure !== null) throw this.#failure;
  }

  /** @returns {Promise<void>} */
  #change() {
    return new Promise((wake) => {
      this.#wake = wake;
    });
  }

  /** @param {string | Buffer} data */
  write(data) {
    this.#socket.write(data);
  }

  /** Waits for bytes until `find` says how many belong to the answer. @param {(received: Buffer) => number | null} find */
  async #until(find) {
    for (;;) {
      const length = find(this.#received);
      if (length !== null) {
        const taken = this.#received.subarray(0, length);
        this.#received = this.#received.subarray(length);
        return taken;
      }
      if (this.#failure !== null) throw this.#failure;
      await this.#change();
    }
  }

  /** @param {number} length @returns {Promise<Buffer>} */
  take(length) {
    return this.#until((received) => (received.length >= length ? length : null));
  }

  /** The next line without its end. @returns {Promise<string>} */
  async line() {
    const taken = await this.#until((received) => {
      const end = received.indexOf('\r\n');
      return end === -1 ? null : end + 2;
    });
    return taken.toString('utf8', 0, taken.length - 2);
  }

  close() {
    this.#socket.destroy();
  }
}

/**
 * Connects, talks, and closes whatever happens; all of it within a few seconds unless a limit is given.
 * @template T
 * @param {{ host: string, port: number }} address
 * @param {(wire: Wire) => Promise<T>} talk
 * @param {number} [limitMs]
 * @returns {Promise<T>}
 */
export async function withWire({ host, port }, talk, limitMs = ANSWER_LIMIT_MS) {
  const socket = connect(port, host);
  const wire = new Wire(socket);
  const limit = setTimeout(() => socket.destroy(new Error(`${host}:${port} does not answer`)), limitMs);
  try {
    return await talk(wire);
  } finally {
    clearTimeout(limit);
    wire.close();
  }
}
