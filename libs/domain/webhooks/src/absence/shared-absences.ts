import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import { MAX_OPEN, MOST_TRIES, SETTLE_MS, type AbsenceParts, type AbsenceWatch } from './absences.js';
import { DelayLine } from './delay-line.js';

/** What all processes together have told of places. Rejects when that cannot be reached. */
export interface Notices {
  /** Learns what tells a store that has lost everything from this one. Rejects as the others do, and then is made up for. */
  begin(): Promise<void>;
  /**
   * Somebody came, or is said again to be there. True: nobody was told to be there, so tell. Else whoever had gone is
   * back, or it was forgotten only because the store has lost everything.
   */
  came(key: string, isAgain: boolean): Promise<boolean>;
  /** Nobody is there, which the departure stands for until somebody comes or it is followed by another one. */
  went(key: string, departure: string): Promise<void>;
  /** True: the departure still stands, and the others count as told now, so tell. */
  gone(key: string, departure: string): Promise<boolean>;
}

/** What shared absences work with. */
export interface SharedAbsenceParts<Place> extends AbsenceParts<Place> {
  readonly notices: Notices;
  readonly onTrouble: (what: string, error: unknown) => void;
}

interface Departure<Place> {
  readonly key: string;
  readonly place: Place;
  readonly id: string;
  tries: number;
}

/**
 * Of several processes, each of which hears of some comings and goings: what they tell of one place alternates, and
 * whoever comes back within three seconds, in whatever process, was never gone. What has been told is kept where all
 * see it; while that cannot be reached, each tells as if it were alone.
 */
export class SharedAbsences<Place> implements AbsenceWatch<Place> {
  /** Last work on each place that has any: one after another. */
  readonly #turns = new Map<string, Promise<void>>();
  /** The latest that this process heard of, by place, unless somebody came here since. */
  readonly #departures = new Map<string, Departure<Place>>();
  readonly #line: DelayLine<Departure<Place>>;

  constructor(
    private readonly parts: SharedAbsenceParts<Place>,
    clock: Clock,
    private readonly maxOpen: number = MAX_OPEN,
  ) {
    this.#line = new DelayLine(SETTLE_MS, clock, (departure) => this.#settle(departure));
  }

  get size(): number {
    return Math.max(this.#turns.size, this.#departures.size);
  }

  has(place: Place): boolean {
    return this.#departures.size > 0 && this.#departures.has(this.parts.keyOf(place));
  }

  came(place: Place, isAgain = false): void {
    const key = this.parts.keyOf(place);
    this.#departures.delete(key);
    this.#inTurn(key, async () => {
      const isFirst = await this.#ask('notice of who came', () => this.parts.notices.came(key, isAgain));
      if (isFirst !== false) this.parts.tell(place, 'came');
    });
  }

  went(place: Place): void {
    const isFull = this.size >= this.maxOpen;
    const departure = { key: this.parts.keyOf(place), place, id: randomUUID(), tries: 0 };
    this.#departures.set(departure.key, departure);
    this.#inTurn(departure.key, async () => {
      await this.#ask('notice of who went', () => this.parts.notices.went(departure.key, departure.id));
    });
    if (isFull) this.#settle(departure);
    else this.#line.add(departure);
  }

  stop(): void {
    this.#line.stop();
    this.#departures.clear();
  }

  #settle(departure: Departure<Place>): void {
    this.#inTurn(departure.key, () => this.#decide(departure));
  }

  async #decide(departure: Departure<Place>): Promise<void> {
    const { key, place, id } = departure;
    if (this.#departures.get(key) !== departure) return;
    departure.tries += 1;
    const isGone = await this.parts.isGone(place);
    const isLast = isGone === false ? false : await this.#lasts(isGone, key, id);
    if (isLast === null && departure.tries < MOST_TRIES) return this.#line.add(departure);
    if (this.#departures.get(key) === departure) this.#departures.delete(key);
    if (isLast !== false) this.parts.tell(place, 'went');
  }

  /** Null: it cannot be told now. */
  #lasts(isGone: true | null, key: string, id: string): Promise<boolean | null> | null {
    return isGone && this.#ask('notice of who is gone', () => this.parts.notices.gone(key, id));
  }

  /** Null: nobody can tell. */
  async #ask<Value>(what: string, ask: () => Promise<Value>): Promise<Value | null> {
    try {
      return await ask();
    } catch (error) {
      this.parts.onTrouble(what, error);
      return null;
    }
  }

  #inTurn(key: string, work: () => Promise<void>): void {
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(work).finally(() => {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    });
    this.#turns.set(key, turn);
  }
}
