import type { HttpResponse as NativeResponse } from 'uWebSockets.js';
import { type Message, sendable } from '../text.js';

/** Receives the events of a {@link ResponseStream}. */
export interface ResponseStreamObserver {
  /** The client has read everything that was written. */
  drained(): void;
  /** The client disconnected. Called at most once, and never after `end` or `terminate`. */
  gone(): void;
}

/**
 * The chunked body of a response whose writes are buffered while the client does not read. The caller bounds the buffer by
 * {@link bufferedBytes}. Every method can be called at any time, also after the end.
 */
export class ResponseStream {
  readonly #native: NativeResponse;
  #isOpen = true;
  #bufferedBytes = 0;
  /** Time of the last write or drain, as `performance` keeps it. */
  progressMs = performance.now();

  /** @param filler what may be written between two chunks without a meaning: the native side only drains with a write */
  constructor(
    native: NativeResponse,
    private readonly observer: ResponseStreamObserver,
    private readonly filler: string,
  ) {
    this.#native = native;
    native.onWritable(() => this.#writable());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Bytes written since the kernel last took everything; an upper bound of the bytes that are buffered. */
  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** Writes a chunk of so many bytes. */
  write(chunk: Message, bytes: number): void {
    if (!this.#isOpen) return;
    const wasEmpty = this.#bufferedBytes === 0;
    // A small chunk that the kernel does not take is only noticed by the next one.
    this.#native.cork(() => {
      const isTaken = this.#native.write(sendable(chunk));
      this.#bufferedBytes = isTaken ? 0 : this.#bufferedBytes + bytes;
    });
    if (wasEmpty) this.progressMs = performance.now();
  }

  /** Writes a last chunk and ends the body; with `Connection: close` in the head the client does not use the connection again. */
  end(chunk: Message = ''): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#native.cork(() => {
      if (chunk !== '') this.#native.write(sendable(chunk));
      // Asked to close, the native side writes a header into the body; the head has announced the close.
      this.#native.end();
    });
  }

  /** Closes the connection without an end of the body. */
  terminate(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#native.close();
  }

  /** The client is gone; called by the response. */
  gone(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.observer.gone();
  }

  #writable(): boolean {
    if (!this.#isOpen) return true;
    this.progressMs = performance.now();
    let isTaken = false;
    this.#native.cork(() => {
      isTaken = this.#native.write(this.filler);
    });
    if (!isTaken) return false;
    this.#bufferedBytes = 0;
    this.observer.drained();
    return true;
  }
}
