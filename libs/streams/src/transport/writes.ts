import { SharedText } from './shared-text.js';

/** An object with text to write. */
interface Flushable {
  flush(): void;
}

/** Writes the queued pieces of each stream at the end of the turn of the event loop. */
export class Writes {
  readonly text = new SharedText();
  #queued: Flushable[] = [];

  constructor(private readonly onTrouble: (what: string, error: unknown) => void) {}

  /** Called when a socket queues the first piece since its last write. */
  add(socket: Flushable): void {
    if (this.#queued.length === 0) setImmediate(() => this.#flush());
    this.#queued.push(socket);
  }

  #flush(): void {
    const queued = this.#queued;
    this.#queued = [];
    for (const socket of queued) {
      try {
        socket.flush();
      } catch (error) {
        this.onTrouble('write to an HTTP stream', error);
      }
    }
    // Pieces queued during a flush share texts of their own.
    if (this.#queued.length === 0) this.text.clear();
  }
}
