// Finds the ends of HTTP/1.1 responses in a byte stream. Bodies are stepped over, not read.

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LARGEST_HEAD_BYTES = 64 * 1024;
const LARGEST_EXCERPT_BYTES = 300;
/** @type {Buffer} */
const EMPTY = Buffer.alloc(0);

/** Feed it chunks as they come, cut anywhere; it reports each finished response. */
export class ResponseCounter {
  /** @type {Buffer} */
  #pending = EMPTY;
  #status = 0;
  /** Bytes of the body still to come; null between responses, -1 while chunks are being read. @type {number | null} */
  #remaining = null;
  #excerpt = '';

  /**
   * @param {(status: number, excerpt: string) => void} onResponse the excerpt is the start of the body of a response
   *   other than 2xx, as far as it came with its head, for a message; otherwise empty
   */
  constructor(onResponse) {
    this.onResponse = onResponse;
  }

  /** Throws on bytes that are not an HTTP/1.1 response. @param {Buffer} chunk */
  push(chunk) {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (this.#advance());
  }

  /** Takes one step; false when more bytes are needed. */
  #advance() {
    if (this.#remaining === null) return this.#readHead();
    if (this.#remaining < 0) return this.#readChunk();
    const size = Math.min(this.#remaining, this.#pending.length);
    this.#pending = this.#pending.subarray(size);
    this.#remaining -= size;
    if (this.#remaining > 0) return false;
    this.#finish();
    return true;
  }

  #readHead() {
    const end = this.#pending.indexOf(END_OF_HEAD);
    if (end < 0) {
      if (this.#pending.length > LARGEST_HEAD_BYTES) throw new Error('a response head is too large');
      return false;
    }
    const head = this.#pending.toString('latin1', 0, end + 2);
    this.#pending = this.#pending.subarray(end + END_OF_HEAD.length);
    this.#status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(this.#status)) throw new Error('the answer is not HTTP/1.1');
    this.#remaining = bodyBytes(this.#status, head);
    const good = this.#status >= 200 && this.#status < 300;
    this.#excerpt = good ? '' : this.#pending.toString('utf8', 0, LARGEST_EXCERPT_BYTES);
    return true;
  }

  /** One chunk, its size line and its line end; the last one has size 0 (trailers are not supported). */
  #readChunk() {
    const lineEnd = this.#pending.indexOf('\r\n');
    if (lineEnd < 0) return false;
    const size = Number.parseInt(this.#pending.toString('latin1', 0, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error('a chunk has no size');
    const whole = lineEnd + 2 + size + 2;
    if (this.#pending.length < whole) return false;
    this.#pending = this.#pending.subarray(whole);
    if (size === 0) this.#finish();
    return true;
  }

  #finish() {
    this.#remaining = null;
    this.onResponse(this.#status, this.#excerpt);
  }
}

/** @param {number} status @param {string} head */
function bodyBytes(status, head) {
  if (status === 204 || status === 304) return 0;
  const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (/\r\ntransfer-encoding: *chunked\r\n/i.test(head)) return -1;
  throw new Error('a response names neither its length nor chunks');
}
