import { setImmediate as soon } from 'node:timers/promises';

/** Round trips to a broker, one for all who ask for one in the same turn of the event loop. */
export class Barrier {
  #next: Promise<void> | null = null;

  constructor(private readonly roundTrip: () => Promise<void>) {}

  /** Settles when the broker has answered a question that was put after everything sent until now. */
  pass(): Promise<void> {
    this.#next ??= this.#pass();
    return this.#next;
  }

  async #pass(): Promise<void> {
    await soon();
    this.#next = null;
    await this.roundTrip();
  }
}
