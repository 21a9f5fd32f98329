/** Memory of an event beside its text: its record, its batch and their names. */
const OVERHEAD_BYTES = 512;
/** An event is held as collected and in its batch. */
const COPIES = 2;

/** Returns the memory that an event with a text of this size is charged for. */
export const costOf = (textBytes: number): number => COPIES * textBytes + OVERHEAD_BYTES;

/** Events and bytes that may wait in the memory of one process. */
export interface BacklogBounds {
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** Into how many parts they are divided, of which an app may have one. Absent: 1. */
  readonly shares?: number;
}

const BACKLOG_BOUNDS: BacklogBounds = {
  maxEvents: 100_000,
  maxBytes: 48 * 1024 * 1024,
  shares: 4,
};

interface Amount {
  events: number;
  bytes: number;
}

/** Events waiting for the queue, from their emission: bounded in total and per app. */
export class Backlog {
  readonly #all: Amount = { events: 0, bytes: 0 };
  readonly #byApp = new Map<string, Amount>();

  constructor(private readonly bounds: BacklogBounds = BACKLOG_BOUNDS) {}

  get events(): number {
    return this.#all.events;
  }

  /** False: there is no room, for this app or at all, and nothing was counted. */
  admit(appId: string, bytes: number): boolean {
    const own = this.#byApp.get(appId) ?? { events: 0, bytes: 0 };
    if (!this.#fits(this.#all, bytes, 1) || !this.#fits(own, bytes, this.bounds.shares ?? 1)) return false;
    this.#byApp.set(appId, own);
    for (const amount of [this.#all, own]) {
      amount.events += 1;
      amount.bytes += bytes;
    }
    return true;
  }

  release(appId: string, events: number, bytes: number): void {
    const own = this.#byApp.get(appId);
    for (const amount of own === undefined ? [] : [this.#all, own]) {
      amount.events -= events;
      amount.bytes -= bytes;
    }
    if (own?.events === 0) this.#byApp.delete(appId);
  }

  #fits(amount: Amount, bytes: number, shares: number): boolean {
    const { maxEvents, maxBytes } = this.bounds;
    return amount.events < maxEvents / shares && amount.bytes + bytes <= maxBytes / shares;
  }
}
