import type { HttpResponse as NativeResponse } from 'uWebSockets.js';

/**
 * Body of an answer that continues until either side ends it. Methods may be called at any time, also after its end.
 */
export class EventStream {
  /** Called once when the client disconnects. */
  onGone: (() => void) | null = null;
  readonly #native: NativeResponse;
  #isOpen = true;
  /** Whether the client has not received everything yet. */
  #isBehind = false;

  constructor(native: NativeResponse) {
    this.#native = native;
    native.onWritable(() => {
      this.#isBehind = false;
      return true;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a piece. A client that has not received the previous piece is disconnected, so that nothing is buffered. */
  write(text: string): void {
    if (!this.#isOpen) return;
    if (this.#isBehind) {
      this.#native.close();
      return this.gone();
    }
    this.#native.cork(() => {
      this.#isBehind = !this.#native.write(text);
    });
  }

  /** Ends the answer. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#native.cork(() => void this.#native.end());
  }

  /** The client is gone; the room's own. */
  gone(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.onGone?.();
  }
}
