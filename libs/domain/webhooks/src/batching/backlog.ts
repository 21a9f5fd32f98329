/** Events and bytes that may wait in the memory of one process. */
export interface BacklogBounds {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

export const BACKLOG_BOUNDS: BacklogBounds = { maxEvents: 100_000, maxBytes: 64 * 1024 * 1024 };

/** What waits to be taken over by the queue, from the moment it is told. */
export class Backlog {
  #events = 0;
  #bytes = 0;

  constructor(private readonly bounds: BacklogBounds = BACKLOG_BOUNDS) {}

  get events(): number {
    return this.#events;
  }

  /** False: there is no room, and nothing was counted. */
  admit(bytes: number): boolean {
    if (this.#events >= this.bounds.maxEvents || this.#bytes + bytes > this.bounds.maxBytes) return false;
    this.#events += 1;
    this.#bytes += bytes;
    return true;
  }

  release(events: number, bytes: number): void {
    this.#events -= events;
    this.#bytes -= bytes;
  }
}
