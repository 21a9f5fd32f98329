type Work = () => Promise<void>;

interface Waiting {
  readonly bytes: number;
  readonly work: Work;
}

const MAX_FRAMES = 4096;
const MAX_BYTES = 16 * 1024 * 1024;

/** Serializes the requests of a connection. Requests still queued when it ends are dropped. */
export class FrameQueue {
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  #isBusy = false;

  constructor(private readonly owner: { readonly isOpen: boolean }) {}

  /**
   * Returns false if the queue is full and the request was not added. A failed request does not prevent the next one.
   */
  add(bytes: number, work: Work, onTrouble: (what: string, error: unknown) => void): boolean {
    if (this.#waiting.length >= MAX_FRAMES || this.#bytes + bytes > MAX_BYTES) return false;
    this.#waiting.push({ bytes, work });
    this.#bytes += bytes;
    if (!this.#isBusy) void this.#run(onTrouble);
    return true;
  }

  async #run(onTrouble: (what: string, error: unknown) => void): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#bytes -= next.bytes;
      if (!this.owner.isOpen) continue;
      try {
        await next.work();
      } catch (error) {
        onTrouble('frame', error);
      }
    }
    this.#isBusy = false;
  }
}
