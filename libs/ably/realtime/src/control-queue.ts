const MAX_FRAMES = 32;
const MAX_BYTES = 64 * 1024;

/** Everything that waits for a client that does not read. */
interface Lane {
  readonly size: number;
  /** The number of frames it has released. */
  readonly taken: number;
}

interface Waiting {
  /** The number of frames that leave the lane before it. */
  readonly after: number;
  readonly bytes: number;
}

/**
 * Control frames of a connection, such as ACKs, that wait in its lane among channel frames. Their limit is far below
 * that of the lane: a client that does not read its ACKs does not read anything.
 */
export class ControlQueue {
  #lane: Lane | null = null;
  #waiting: Waiting[] = [];

  /** Adds a frame; returns false if the queue is full. A single frame may have any size. */
  add(lane: Lane, bytes: number): boolean {
    if (lane !== this.#lane) this.#waiting = [];
    this.#lane = lane;
    this.#waiting = this.#waiting.filter(({ after }) => after >= lane.taken);
    const waitingBytes = this.#waiting.reduce((sum, one) => sum + one.bytes, 0);
    const fits = this.#waiting.length < MAX_FRAMES && waitingBytes + bytes <= MAX_BYTES;
    if (!fits && this.#waiting.length > 0) return false;
    this.#waiting.push({ after: lane.taken + lane.size, bytes });
    return true;
  }
}
