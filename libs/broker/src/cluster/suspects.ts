/** Lost sessions after which an address counts as their cause: one strike in a batch, two alone. */
const STRIKES = 3;
/** An address that was guilty may be tried again after this. */
const REMEMBERED_MS = 600_000;
/** More are not remembered; the oldest goes. */
const MAX_REMEMBERED = 1000;

interface Record {
  strikes: number;
  lastMs: number;
}

/**
 * Addresses whose subscriptions were in flight when a session was lost. A broker that closes the connection because
 * of one of them would do so in every session, so they are retried one by one after all others, and finally not at
 * all.
 */
export class Suspects {
  readonly #records = new Map<string, Record>();

  /** @param nowMs of a clock that never goes back */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  has(address: string): boolean {
    return this.#records.size > 0 && this.#recent(address) !== undefined;
  }

  isGuilty(address: string): boolean {
    return this.#records.size > 0 && (this.#recent(address)?.strikes ?? 0) >= STRIKES;
  }

  /** Records that a session was lost while the address was being subscribed. */
  strike(address: string): void {
    const strikes = (this.#recent(address)?.strikes ?? 0) + 1;
    this.#records.delete(address);
    this.#records.set(address, { strikes, lastMs: this.nowMs() });
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= MAX_REMEMBERED) break;
      this.#records.delete(oldest);
    }
  }

  /** The broker took it. */
  clear(address: string): void {
    this.#records.delete(address);
  }

  #recent(address: string): Record | undefined {
    const record = this.#records.get(address);
    if (record === undefined || this.nowMs() - record.lastMs <= REMEMBERED_MS) return record;
    this.#records.delete(address);
    return undefined;
  }
}
