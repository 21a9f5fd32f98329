/** Number of the newest records of a channel whose message ids are kept, and for how long. */
export const MAX_RECENT = 100;
export const RECENT_MS = 120_000;
/** Longer ids are not stored, to bound the memory of a channel. */
const MAX_ID_CHARACTERS = 256;

interface Slot {
  serial: number;
  id: string | null;
  /** Another message id that arrived with the same serial; null: none. */
  other: string | null;
  atMs: number;
}

/** The message ids of the newest serials of a stream. A noted record overwrites one far before it. */
export class RecentIds {
  /** By serial, as a ring; allocated on demand. */
  readonly #slots: (Slot | undefined)[] = [];

  /** Records the message id of a serial; null clears the entry. */
  note(serial: number, id: string | null, nowMs: number): void {
    const kept = id === null || id.length > MAX_ID_CHARACTERS ? null : id;
    const slot = this.#slots[serial % MAX_RECENT];
    if (slot === undefined) {
      this.#slots[serial % MAX_RECENT] = { serial, id: kept, other: null, atMs: nowMs };
      return;
    }
    slot.serial = serial;
    slot.id = kept;
    slot.other = null;
    slot.atMs = nowMs;
  }

  /** Null if it is unknown or expired. */
  idOf(serial: number, nowMs: number): string | null {
    return this.#find(serial, nowMs)?.id ?? null;
  }

  /**
   * Returns the known message id of a serial if it differs from `id`, and only once. Null if it is the same, was
   * returned already, or is unknown, which proves nothing.
   */
  otherThan(serial: number, id: string | null, nowMs: number): string | null {
    const slot = this.#find(serial, nowMs);
    if (slot === undefined || slot.id === null || id === null) return null;
    if (slot.id === id || slot.other === id || id.length > MAX_ID_CHARACTERS) return null;
    slot.other = id;
    return slot.id;
  }

  clear(): void {
    this.#slots.length = 0;
  }

  #find(serial: number, nowMs: number): Slot | undefined {
    const slot = this.#slots[serial % MAX_RECENT];
    return slot?.serial === serial && nowMs - slot.atMs < RECENT_MS ? slot : undefined;
  }
}
