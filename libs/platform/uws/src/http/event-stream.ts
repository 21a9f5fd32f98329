import type { HttpResponse as NativeResponse } from 'uWebSockets.js';

/** The body of an answer that goes on until either side ends it. Safe to call at any time, also after its end. */
export class EventStream {
  /** Told once when the client goes away. */
  onGone: (() => void) | null = null;
  readonly #native: NativeResponse;
  #isOpen = true;
  /** The client has not taken all of what was sent yet. */
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

  /** Sends a piece. Who has not even taken the piece before is dropped, so nothing gathers here. */
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
