/** So many of the newest records of a channel are known by their message, and for so long. */
export const MOST_RECENT = 100;
export const RECENT_MS = 120_000;
/** A longer id is not kept: a channel must not hold any amount of them. */
const MAX_ID_CHARACTERS = 256;

interface Slot {
  serial: number;
  id: string | null;
  /** Another that came with the same serial; null: none did. */
  other: string | null;
  atMs: number;
}

/** Which messages the newest serials of a stream were. A record that is noted takes the place of one long before it. */
export class RecentIds {
  /** By the serial, in a circle; made as they are needed. */
  readonly #slots: (Slot | undefined)[] = [];

  /** Null: it has no id, or what was there before is no longer of interest. */
  note(serial: number, id: string | null, nowMs: number): void {
    const kept = id === null || id.length > MAX_ID_CHARACTERS ? null : id;
    const slot = this.#slots[serial % MOST_RECENT];
    if (slot === undefined) {
      this.#slots[serial % MOST_RECENT] = { serial, id: kept, other: null, atMs: nowMs };
      return;
    }
    slot.serial = serial;
    slot.id = kept;
    slot.other = null;
    slot.atMs = nowMs;
  }

  /** Null: it is not known, or not any more. */
  idOf(serial: number, nowMs: number): string | null {
    return this.#find(serial, nowMs)?.id ?? null;
  }

  /**
   * The message that a serial is known to be of when it is another than that; it is told once. Null: it is the same, it
   * was told already, or nothing is known, which proves nothing.
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
    const slot = this.#slots[serial % MOST_RECENT];
    return slot?.serial === serial && nowMs - slot.atMs < RECENT_MS ? slot : undefined;
  }
}
