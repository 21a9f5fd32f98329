import { type Frame, frameBytes } from '../codec.js';

/** Frames waiting for one slow client, oldest first. They are shared with all other slow clients. */
export class SlowLane {
  #frames: Frame[] = [];
  #first = 0;
  #bytes = 0;
  #taken = 0;

  /** Number of waiting frames. */
  get size(): number {
    return this.#frames.length - this.#first;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Number of frames ever removed. */
  get taken(): number {
    return this.#taken;
  }

  push(frame: Frame): void {
    this.#frames.push(frame);
    this.#bytes += frameBytes(frame);
  }

  /** Removes and returns the oldest frame; undefined if none waits. */
  shift(): Frame | undefined {
    const frame = this.#frames[this.#first];
    if (frame === undefined) return undefined;
    this.#first += 1;
    this.#taken += 1;
    this.#bytes -= frameBytes(frame);
    if (this.#first === this.#frames.length) this.#forget();
    else if (this.#first >= 1024) this.#shorten();
    return frame;
  }

  #forget(): void {
    this.#frames = [];
    this.#first = 0;
  }

  #shorten(): void {
    this.#frames = this.#frames.slice(this.#first);
    this.#first = 0;
  }
}
