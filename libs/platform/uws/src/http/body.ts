import type { HttpResponse as NativeResponse } from 'uWebSockets.js';
import { lendingChunks } from '../lending.js';
import type { BodyRoom } from './body-room.js';

/** Outcome of reading a body: its bytes (undefined if ignored), or too large, temporarily or always. */
export type BodyOutcome =
  | { readonly tooLarge: false; readonly bytes: Buffer | undefined; readonly length: number }
  | { readonly tooLarge: true; readonly isForNow?: true };

const NOTHING = Buffer.alloc(0);
const TOO_LARGE: BodyOutcome = { tooLarge: true };
const NO_ROOM: BodyOutcome = { tooLarge: true, isForNow: true };

/**
 * Time for which an oversized body is drained before the connection is closed. Closing while bytes arrive resets the
 * connection, and the client would never read the 413.
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
 * Reads a body. The outcome is reported once; not at all if the client disconnects first. Nothing is kept of a body
 * with a declared length over the limit; otherwise bytes are counted as they arrive and dropped once over the limit.
 * Later bytes are discarded until the end or {@link LINGER_MS}.
 * The native library answers `Expect: 100-continue` itself, so such clients send like all others, and it disconnects
 * slow senders: those below 16 KiB per second for 10 to 14 seconds.
 */
export class BodyReader {
  readonly #limit: number;
  readonly #keeps: boolean;
  readonly #room: BodyRoom;
  /** Bytes reserved in the shared budget, until released. */
  #taken = 0;
  #outcome: BodyOutcome | undefined;
  #listener: ((outcome: BodyOutcome) => void) | undefined;
  /** Holds the first `#length` bytes; grows by doubling, because kept pieces would cost more than their bytes. */
  #bytes: Buffer = NOTHING;
  #length = 0;
  /** Outcome of an exceeded limit. */
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

  /** Registers the listener; called immediately if the outcome is known. */
  whenDone(listener: (outcome: BodyOutcome) => void): void {
    if (this.#outcome === undefined) this.#listener = listener;
    else listener(this.#outcome);
  }

  /**
   * Starts reading; must be called before the native handler returns. `onEnd` is called before the outcome is
   * reported.
   */
  read(native: NativeResponse, declaredLength: number, onEnd: () => void = () => {}): void {
    if (declaredLength > this.#limit) this.#exceed(TOO_LARGE);
    native.onData(
      lendingChunks((chunk, isLast) => {
        if (isLast) onEnd();
        this.#take(chunk, isLast);
      }),
    );
  }

  /** Cancels the read: the client has disconnected, or was answered. */
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
