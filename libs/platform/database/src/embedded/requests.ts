const CODE_SYNC = 0x53;
const CODE_QUERY = 0x51;
const CODE_TERMINATE = 0x58;
const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;

/** More than any statement of this service is long. */
const MAX_REQUEST_BYTES = 256 * 1024 * 1024;

/** A client request: all messages up to the point where it waits for an answer. */
export type ClientRequest =
  | { readonly kind: 'encryption' }
  | { readonly kind: 'end' }
  | { readonly kind: 'run'; readonly bytes: Uint8Array };

/** Splits the byte stream of a PostgreSQL client into requests. Throws on protocol errors. */
export class RequestReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Minimum number of bytes of the next request. */
  #needed = 0;
  #greeted = false;

  push(chunk: Buffer): ClientRequest[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size > MAX_REQUEST_BYTES) throw new Error('a request is too large');
    const requests: ClientRequest[] = [];
    if (this.#size < this.#needed) return requests;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    while (bytes.length > 0) {
      const end = this.#greeted ? this.#endOfRequest(bytes) : this.#endOfGreeting(bytes);
      if (end === null) break;
      this.#needed = 0;
      requests.push(this.#requestOf(bytes.subarray(0, end)));
      bytes = bytes.subarray(end);
    }
    this.#chunks = [bytes];
    this.#size = bytes.length;
    return requests;
  }

  #endOfGreeting(bytes: Buffer): number | null {
    const length = Math.max(8, bytes.length < 4 ? 0 : lengthAt(bytes, 0));
    this.#needed = length;
    return bytes.length < length ? null : length;
  }

  /** Returns the offset after the message that ends a request. */
  #endOfRequest(bytes: Buffer): number | null {
    let at = 0;
    for (;;) {
      if (bytes.length < at + 5) {
        this.#needed = at + 5;
        return null;
      }
      const code = bytes[at];
      const end = at + 1 + lengthAt(bytes, at + 1);
      if (bytes.length < end) {
        this.#needed = end;
        return null;
      }
      if (code === CODE_SYNC || code === CODE_QUERY || code === CODE_TERMINATE) return end;
      at = end;
    }
  }

  #requestOf(bytes: Buffer): ClientRequest {
    if (this.#greeted) return bytes[0] === CODE_TERMINATE ? { kind: 'end' } : { kind: 'run', bytes };
    const word = bytes.readInt32BE(4);
    if (word === SSL_REQUEST) return { kind: 'encryption' };
    if (word === CANCEL_REQUEST) return { kind: 'end' };
    this.#greeted = true;
    return { kind: 'run', bytes };
  }
}

function lengthAt(bytes: Buffer, at: number): number {
  const length = bytes.readInt32BE(at);
  if (length < 4 || length > MAX_REQUEST_BYTES) throw new Error('not the protocol of PostgreSQL');
  return length;
}
