import type { HttpResponse as NativeResponse } from 'uWebSockets.js';

/**
 * The body of a response that is sent in pieces, with flow control. Every method may be called at any time; after the end
 * they do nothing. The caller bounds what it writes by {@link bufferedBytes}.
 */
export class StreamedBody {
  /** Called once when the client disconnects or the connection is closed. */
  onGone: (() => void) | null = null;
  /** Called when the client has taken everything that was buffered. */
  onDrain: (() => void) | null = null;
  readonly #native: NativeResponse;
  readonly #filler: string;
  #isOpen = true;
  /** Written while the native side had unsent bytes. */
  #pending: string[] = [];
  #pendingBytes = 0;
  /** Bound of the bytes that the native side has not sent. */
  #unsentBytes = 0;

  /**
   * @param filler text without a meaning to the reader. The native side continues to send its buffer only if something is
   *   written when the connection becomes writable.
   */
  constructor(native: NativeResponse, filler: string) {
    this.#native = native;
    this.#filler = filler;
    native.onWritable(() => {
      this.#writable();
      return true;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Upper bound of the bytes that the client has not taken; 0: it has taken all. */
  get bufferedBytes(): number {
    return this.#unsentBytes + this.#pendingBytes;
  }

  write(text: string): void {
    if (!this.#isOpen || text === '') return;
    const bytes = Buffer.byteLength(text);
    if (this.#unsentBytes === 0) return this.#send(text, bytes);
    this.#pending.push(text);
    this.#pendingBytes += bytes;
  }

  /**
   * Ends the response, after everything that was written. The head says `Connection: close`: the native call that closes
   * writes that header into the body of a response that has begun.
   */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const rest = this.#take();
    this.#native.cork(() => {
      if (rest !== '') this.#native.write(rest);
      this.#native.end();
    });
  }

  /** Drops the connection. */
  close(): void {
    if (!this.#isOpen) return;
    this.#native.close();
    this.gone();
  }

  /** The client has disconnected; for `HttpResponse` only. */
  gone(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#pending = [];
    this.onGone?.();
  }

  #send(text: string, bytes: number): void {
    this.#native.cork(() => {
      this.#unsentBytes = this.#native.write(text) ? 0 : bytes;
    });
  }

  #writable(): void {
    if (!this.#isOpen) return;
    const bytes = this.#pendingBytes + this.#unsentBytes;
    this.#send(this.#take() || this.#filler, bytes);
    if (this.#unsentBytes === 0) this.onDrain?.();
  }

  #take(): string {
    const text = this.#pending.join('');
    this.#pending = [];
    this.#pendingBytes = 0;
    return text;
  }
}
