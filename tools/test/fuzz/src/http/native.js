// What the native server hands to the HTTP platform, without a network: one request and the place for its answer.

/**
 * @typedef {object} Asked one request as a parser of HTTP lets it through
 * @property {string} method
 * @property {string} path
 * @property {string} query
 * @property {readonly (readonly [string, string])[]} headers names in lower case
 * @property {Buffer} body
 */

/** The native request. */
export class NativeRequest {
  /** @param {Asked} asked */
  constructor(asked) {
    this.asked = asked;
  }

  getCaseSensitiveMethod() {
    return this.asked.method;
  }

  getUrl() {
    return this.asked.path;
  }

  getQuery() {
    return this.asked.query;
  }

  /** @param {(name: string, value: string) => void} tell */
  forEach(tell) {
    for (const [name, value] of this.asked.headers) tell(name, value);
  }
}

/** The native response: remembers what is sent, and that it is sent once. */
export class NativeResponse {
  status = 200;
  /** @type {Map<string, string>} */
  headers = new Map();
  body = '';
  ends = 0;
  /** @type {((chunk: ArrayBuffer, isLast: boolean) => void) | null} */
  #reader = null;
  /** @type {() => void} */
  #ended = () => {};
  /** Resolves at the first end of the answer. */
  answered = new Promise((resolve) => {
    this.#ended = () => resolve(undefined);
  });

  /** @param {() => void} work */
  cork(work) {
    work();
    return this;
  }

  /** @param {string} line */
  writeStatus(line) {
    this.status = Number(line.slice(0, 3));
    return this;
  }

  /** @param {string} name @param {string} value */
  writeHeader(name, value) {
    this.headers.set(name, value);
    return this;
  }

  /** @param {string | Uint8Array} [body] */
  end(body = '') {
    this.body = typeof body === 'string' ? body : Buffer.from(body).toString();
    return this.endWithoutBody();
  }

  endWithoutBody() {
    this.ends += 1;
    this.#ended();
    return this;
  }

  close() {
    return this.endWithoutBody();
  }

  onAborted() {
    return this;
  }

  /** Requests come one by one: nothing stands behind this one that could be held back. */
  pause() {}

  resume() {}

  /** @param {(chunk: ArrayBuffer, isLast: boolean) => void} read */
  onData(read) {
    this.#reader = read;
    return this;
  }

  getRemoteAddressAsText() {
    return new TextEncoder().encode('127.0.0.1').buffer;
  }

  /** Brings the body, in two pieces. @param {Buffer} body */
  deliver(body) {
    const half = body.length >> 1;
    for (const [piece, isLast] of /** @type {const} */ ([
      [body.subarray(0, half), false],
      [body.subarray(half), true],
    ]))
      this.#reader?.(Uint8Array.from(piece).buffer, isLast);
  }
}
