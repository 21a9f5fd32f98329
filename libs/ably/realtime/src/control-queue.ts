const MAX_FRAMES = 32;
const MAX_BYTES = 64 * 1024;

/** Everything that waits for a client that does not read. */
interface Lane {
  readonly size: number;
  /** How many it has let go. */
  readonly taken: number;
}

interface Waiting {
  /** How many frames leave the lane before it. */
  readonly after: number;
  readonly bytes: number;
}

/**
 * What is of a connection itself, as its answers, and waits in its lane among what is of its channels. That has a bound of
 * its own, far below the one of the lane: who does not read its answers does not read anything.
 */
export class ControlQueue {
  #lane: Lane | null = null;
  #waiting: Waiting[] = [];

  /** Another frame is about to wait; false: too much does already. One alone may be as large as it likes. */
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
