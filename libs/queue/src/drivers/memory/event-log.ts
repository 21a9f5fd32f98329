import type { JobEvent } from '../../port.js';

/** The latest events of a queue. */
export class EventLog {
  #events: JobEvent[] = [];

  /** Keeps between `retention` and twice as many; 0 keeps none. */
  constructor(private readonly retention: number) {}

  record(event: JobEvent['event'], jobId: string): void {
    if (this.retention === 0) return;
    this.#events.push({ event, jobId, timestamp: Date.now() });
    if (this.#events.length >= this.retention * 2) this.#events = this.#events.slice(-this.retention);
  }

  latest(limit: number): readonly JobEvent[] {
    return this.#events.slice(-Math.min(limit, this.retention));
  }
}
