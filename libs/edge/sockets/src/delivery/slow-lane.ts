/** Frames that wait for one slow client, oldest first. The texts are shared with every other slow client. */
export class SlowLane {
  #frames: string[] = [];
  #first = 0;
  #bytes = 0;

  /** How many wait. */
  get size(): number {
    return this.#frames.length - this.#first;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(frame: string): void {
    this.#frames.push(frame);
    this.#bytes += Buffer.byteLength(frame);
  }

  /** The oldest, taken out; undefined when none waits. */
  shift(): string | undefined {
    const frame = this.#frames[this.#first];
    if (frame === undefined) return undefined;
    this.#first += 1;
    this.#bytes -= Buffer.byteLength(frame);
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
