import type { HttpResponse as NativeResponse } from 'uWebSockets.js';
import { lendingChunks } from '../lending.js';
import type { BodyRoom } from './body-room.js';

/** What became of a body: its bytes (undefined when they are to be ignored), or it is too large, now or ever. */
export type BodyOutcome =
  | { readonly tooLarge: false; readonly bytes: Buffer | undefined; readonly length: number }
  | { readonly tooLarge: true; readonly isForNow?: true };

const NOTHING = Buffer.alloc(0);
const TOO_LARGE: BodyOutcome = { tooLarge: true };
const NO_ROOM: BodyOutcome = { tooLarge: true, isForNow: true };

/**
 * How long a client that sends too much is listened to before the connection is closed. Closing while bytes
 * arrive resets the connection, and the client would never read the 413.
 */
const LINGER_MS = 500;

/** Whether a request announces a body. */
export function announcesBody(
  contentLength: string | undefined,
  transferEncoding: string | undefined,
): boolean {
  return transferEncoding !== undefined || (contentLength !== undefined && Number(contentLength) > 0);
}

/**
 * Reads a body. The outcome is told once; not at all when the client goes away first. A declared length over the
 * limit keeps nothing; otherwise bytes are counted as they come and dropped once over the limit. What comes after
 * that is thrown away until it ends or {@link LINGER_MS} have passed.
 *
 * The native library answers `Expect: 100-continue` by itself, so such clients send like all others, and it ends
 * slow senders: those that stay below 16 KiB per second for 10 to 14 seconds.
 */
export class BodyReader {
  readonly #limit: number;
  readonly #keeps: boolean;
  readonly #room: BodyRoom;
  /** What it has of the room, until it is released. */
  #taken = 0;
  #outcome: BodyOutcome | undefined;
  #listener: ((outcome: BodyOutcome) => void) | undefined;
  /** Holds the first `#length` bytes; grows by doubling, because kept pieces would cost more than their bytes. */
  #bytes: Buffer = NOTHING;
  #length = 0;
  /** What it is over, once it is over something. */
  #over: BodyOutcome | null = null;
  #linger: NodeJS.Timeout | undefined;

  constructor(limit: number, keeps: boolean, room: BodyRoom) {
    this.#limit = limit;
    this.#keeps = keeps;
    this.#room = room;
  }

  /** Whether it is still coming. */
  get isComing(): boolean {
    return this.#outcome === undefined;
  }

  /** The request is over: its bytes are needed no more. */
  release(): void {
    this.cancel();
    this.#room.giveBack(this.#taken);
    this.#taken = 0;
  }

  /** Asks to be told; at once when the outcome is there already. */
  whenDone(listener: (outcome: BodyOutcome) => void): void {
    if (this.#outcome === undefined) this.#listener = listener;
    else listener(this.#outcome);
  }

  /** Starts reading; must be called before the native handler returns. `onEnd` is called before the outcome is told. */
  read(native: NativeResponse, declaredLength: number, onEnd: () => void = () => {}): void {
    if (declaredLength > this.#limit) this.#exceed(TOO_LARGE);
    native.onData(
      lendingChunks((chunk, isLast) => {
        if (isLast) onEnd();
        this.#take(chunk, isLast);
      }),
    );
  }

  /** Nobody wants the body any more: the client is gone, or there is an answer already. */
  cancel(): void {
    this.#listener = undefined;
    this.#outcome ??= TOO_LARGE;
    this.#bytes = NOTHING;
    clearTimeout(this.#linger);
  }

  #take(chunk: Uint8Array, isLast: boolean): void {
    if (this.#outcome !== undefined) return;
    const before = this.#length;
    this.#length += chunk.byteLength;
    if (this.#over === null && this.#length > this.#limit) this.#exceed(TOO_LARGE);
    if (this.#over === null && this.#keeps && chunk.byteLength > 0) this.#keep(chunk, before);
    if (isLast) this.#settle(this.#over ?? this.#complete());
  }

  /** The native buffer is only valid during the call that brings it, so its bytes are copied. */
  #keep(chunk: Uint8Array, offset: number): void {
    if (this.#bytes.length < this.#length) {
      const capacity = offset === 0 ? this.#length : Math.min(this.#limit, this.#length * 2);
      if (!this.#room.take(capacity - this.#taken)) return this.#exceed(NO_ROOM);
      this.#taken = capacity;
      // Most bodies are small and short-lived: those come out of Node's pool, which costs no object of its own.
      const grown = Buffer.allocUnsafe(capacity);
      this.#bytes.copy(grown, 0, 0, offset);
      this.#bytes = grown;
    }
    this.#bytes.set(chunk, offset);
  }

  #complete(): BodyOutcome {
    return { tooLarge: false, bytes: this.#keeps ? this.#kept() : undefined, length: this.#length };
  }

  #kept(): Buffer {
    return this.#bytes.length === this.#length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }

  #exceed(outcome: BodyOutcome): void {
    this.#over = outcome;
    this.#bytes = NOTHING;
    this.#room.giveBack(this.#taken);
    this.#taken = 0;
    this.#linger = setTimeout(() => this.#settle(outcome), LINGER_MS);
  }

  #settle(outcome: BodyOutcome): void {
    const listener = this.#listener;
    this.#outcome = outcome;
    this.cancel();
    listener?.(outcome);
  }
}
