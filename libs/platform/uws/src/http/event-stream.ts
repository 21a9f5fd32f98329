import type { HttpResponse as NativeResponse } from 'uWebSockets.js';

/** Readers of event streams ignore it. */
const COMMENT = ':\n\n';

/**
 * Body of an answer that continues until either side ends it. Methods may be called at any time, also after its end.
 */
export class EventStream {
  /** Called once when the client disconnects. */
  onGone: (() => void) | null = null;
  /** Told whenever the client has taken all of what was sent. */
  onDrained: (() => void) | null = null;
  readonly #native: NativeResponse;
  #isOpen = true;
  /** Whether the client has not received everything yet. */
  #isBehind = false;

  constructor(native: NativeResponse) {
    this.#native = native;
    native.onWritable(() => {
      if (this.#isOpen) this.#drain();
      return true;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the client has not taken all of what was sent yet; a further piece would drop it. */
  get isBehind(): boolean {
    return this.#isBehind;
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

  /** With a handler of this event the native library sends what it buffers only along with a further piece. */
  #drain(): void {
    this.#native.cork(() => {
      this.#isBehind = !this.#native.write(COMMENT);
    });
    if (!this.#isBehind) this.onDrained?.();
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
