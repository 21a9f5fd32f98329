// One WebSocket connection: a session of the engine that must sign in before it may query.
import { Uuid } from 'surrealdb';
import { codec } from './engine.js';

/** Methods that a connection may call before it signs in. */
const OPEN_METHODS = new Set(['authenticate', 'health', 'ping', 'signin', 'use', 'version']);

const ERROR_START = Buffer.from([0xa1, 0x65, ...Buffer.from('error')]);
const NOTHING = codec.encode(null);
const MAP_OF_TWO = Buffer.from([0xa2]);
const TEXT = { id: codec.encode('id'), result: codec.encode('result') };

/** @typedef {{ id: string, method: string, params?: unknown[], session?: unknown }} Request */

/** Adds the id to the answer of the engine. @param {Request} request @param {Uint8Array} bytes */
function responseTo({ id }, bytes) {
  const head = [MAP_OF_TWO, TEXT.id, codec.encode(id)];
  const isError = ERROR_START.equals(bytes.subarray(0, ERROR_START.length));
  return Buffer.concat(isError ? [...head, bytes.subarray(1)] : [...head, TEXT.result, bytes]);
}

/** @param {string} message */
const refusal = (message) =>
  codec.encode({ error: { code: -32_002, kind: 'NotAllowed', details: { kind: 'Auth' }, message } });

export class Connection {
  #session = Uuid.v4();
  #isSignedIn = false;
  #attached;
  #execute;
  #send;

  /** @param {import('./engine.js').Execute} execute @param {(bytes: Uint8Array) => void} send */
  constructor(execute, send) {
    this.#execute = execute;
    this.#send = send;
    this.#attached = this.#ask({ id: 'attach', method: 'attach', params: [] });
  }

  /** @param {Buffer} data */
  async receive(data) {
    /** @type {Request} */
    const request = codec.decode(data);
    await this.#attached;
    this.#send(responseTo(request, await this.#answer(request)));
  }

  async close() {
    await this.#attached;
    await this.#ask({ id: 'detach', method: 'detach', params: [] });
  }

  /** @param {Request} request */
  async #answer(request) {
    if (!this.#isSignedIn && !OPEN_METHODS.has(request.method)) {
      return refusal('Anonymous access not allowed: Not enough permissions to perform this action');
    }
    // The engine leaves these to its server.
    if (request.method === 'ping' || request.method === 'health') return NOTHING;
    const bytes = await this.#ask(request);
    if (request.method !== 'signin' && request.method !== 'authenticate') return bytes;
    this.#isSignedIn = !ERROR_START.equals(bytes.subarray(0, ERROR_START.length));
    return bytes;
  }

  /** @param {Request} request */
  #ask(request) {
    return this.#execute(codec.encode({ ...request, session: this.#session }));
  }
}
