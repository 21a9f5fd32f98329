import type { Clock } from '../clock.js';
import type { PlaceChange } from '../port.js';
import { DelayLine } from './delay-line.js';

/** Settle time of a departure before it is notified. */
export const SETTLE_MS = 3000;
/** Limit of unsettled places. Beyond it, departures are notified immediately. */
export const MAX_OPEN = 100_000;
/** Attempts to verify a departure before it is assumed. */
export const MAX_TRIES = 3;

/** External decisions. Nothing rejects. */
export interface AbsenceParts<Place> {
  keyOf(place: Place): string;
  /** Whether the place is empty; null if unknown now. */
  isGone(place: Place): Promise<boolean | null>;
  tell(place: Place, what: 'came' | 'went', change: PlaceChange): void;
}

/** Receives first arrivals and last departures, in whichever process they happened; notifies the relevant ones. */
export interface AbsenceWatch<Place> {
  /** Number of unsettled places. */
  readonly size: number;
  has(place: Place): boolean;
  came(place: Place, change?: PlaceChange): void;
  went(place: Place, change?: PlaceChange): void;
  /** Forgets everything that is not settled. */
  stop(): void;
}

interface Open<Place> {
  readonly key: string;
  place: Place;
  /** Whether the place is occupied, as seen by this process. */
  isHere: boolean;
  /** Whether the place is occupied according to the last notification. */
  isTold: boolean;
  isBusy: boolean;
  /** Earliest time of the notification. */
  dueMs: number;
  tries: number;
}

/**
 * For a single process: notifies arrivals and departures, unless an arrival follows the departure within three
 * seconds: then neither is notified. Notifications of one place alternate. Stores a place only while its state
 * differs from the notified one.
 */
export class Absences<Place> implements AbsenceWatch<Place> {
  readonly #open = new Map<string, Open<Place>>();
  readonly #line: DelayLine<Open<Place>>;

  constructor(
    private readonly parts: AbsenceParts<Place>,
    private readonly clock: Clock,
    private readonly maxOpen: number = MAX_OPEN,
  ) {
    this.#line = new DelayLine(SETTLE_MS, clock, (open) => this.#settle(open));
  }

  get size(): number {
    return this.#open.size;
  }

  has(place: Place): boolean {
    return this.#open.size > 0 && this.#open.has(this.parts.keyOf(place));
  }

  came(place: Place): void {
    const open = this.#find(place, false);
    open.isHere = true;
    this.#settle(open);
  }

  went(place: Place): void {
    const isFull = this.#open.size >= this.maxOpen;
    const open = this.#find(place, true);
    open.isHere = false;
    open.tries = 0;
    open.dueMs = this.clock.now() + (isFull ? 0 : SETTLE_MS);
    if (!isFull) this.#line.add(open);
    this.#settle(open);
  }

  stop(): void {
    this.#line.stop();
    this.#open.clear();
  }

  #find(place: Place, isTold: boolean): Open<Place> {
    const key = this.parts.keyOf(place);
    let open = this.#open.get(key);
    if (open === undefined) {
      open = { key, place, isHere: isTold, isTold, isBusy: false, dueMs: 0, tries: 0 };
      this.#open.set(key, open);
    }
    open.place = place;
    return open;
  }

  #settle(open: Open<Place>): void {
    if (open.isBusy || this.#open.get(open.key) !== open) return;
    if (open.isHere === open.isTold) this.#open.delete(open.key);
    else if (open.isHere) this.#hasCome(open);
    else if (this.clock.now() >= open.dueMs) void this.#decideWent(open);
  }

  #hasCome(open: Open<Place>): void {
    open.isTold = true;
    this.parts.tell(open.place, 'came', {});
    this.#settle(open);
  }

  async #decideWent(open: Open<Place>): Promise<void> {
    open.isBusy = true;
    open.tries += 1;
    const isGone = await this.parts.isGone(open.place);
    open.isBusy = false;
    if (isGone === null && open.tries < MAX_TRIES) {
      open.dueMs = this.clock.now() + SETTLE_MS;
      this.#line.add(open);
    } else if (isGone !== false) {
      open.isTold = false;
      this.parts.tell(open.place, 'went', {});
    } else if (!open.isHere) {
      // The place is occupied again.
      open.isTold = false;
    }
    this.#settle(open);
  }
}
