import type { Clock } from '../clock.js';
import type { PlaceChange } from '../port.js';
import { type AbsenceParts, type AbsenceWatch, MAX_OPEN, MAX_TRIES, SETTLE_MS } from './absences.js';
import { DelayLine } from './delay-line.js';

/** Shared records of the notified state of each place. Calls reject if the store is unavailable. */
export interface Notices {
  /** Learns the mark of the store, by which a store that lost everything is known. */
  begin(): Promise<void>;
  /**
   * Records an arrival; `isAgain`: it is restated to a store that lost its data. True: it is to be notified; false:
   * receivers know of an earlier one. Repeating the call gives the same answer.
   */
  came(key: string, serial: number, isAgain: boolean): Promise<boolean>;
  /** Records a departure, whose settle time begins. False: a later change is recorded already. */
  went(key: string, serial: number): Promise<boolean>;
  /** Ends the settle time of a departure. True: no arrival followed, so the departure is to be notified. */
  gone(key: string, serial: number): Promise<boolean>;
}

/** Dependencies of shared absences. */
export interface SharedAbsenceParts<Place> extends AbsenceParts<Place> {
  readonly notices: Notices;
  readonly onTrouble: (what: string, error: unknown) => void;
}

interface Departure<Place> {
  readonly key: string;
  readonly place: Place;
  readonly change: PlaceChange;
  readonly serial: number;
  tries: number;
}

const MICROSECONDS = 1000;

/** Arrivals and departures of older processes come without a serial. */
const serialOf = ({ serial }: PlaceChange): number => serial ?? Math.round(Date.now() * MICROSECONDS);

/**
 * Coordinates the notifications of several processes: those of one place alternate between arrival and departure, and
 * an arrival within three seconds of the departure, in any process, cancels both. The notified state is in the shared
 * store; while it is unreachable, each process notifies independently. A change is settled when its event is in the
 * queue or another change replaced it; until then the store keeps it for other processes.
 */
export class SharedAbsences<Place> implements AbsenceWatch<Place> {
  /** Last work on each place that has any: one after another. */
  readonly #turns = new Map<string, Promise<void>>();
  /** The latest that this process received, by place, unless an arrival followed here. */
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

  came(place: Place, change: PlaceChange = {}): void {
    const key = this.parts.keyOf(place);
    const serial = serialOf(change);
    this.#supersede(key, serial);
    this.#inTurn(key, async () => {
      const { isAgain = false, isRecovered = false } = change;
      const isFirst = await this.#ask('notice of an arrival', () =>
        this.parts.notices.came(key, serial, isAgain),
      );
      if (isFirst === false) change.settle?.();
      else this.parts.tell(place, 'came', { ...change, serial });
      // The member may have left since, and the departure may have been notified before its arrival.
      if (isFirst === true && isRecovered) this.went(place, { serial: serial + 1 });
    });
  }

  went(place: Place, change: PlaceChange = {}): void {
    const isFull = this.size >= this.maxOpen;
    const key = this.parts.keyOf(place);
    const departure = { key, place, change, serial: serialOf(change), tries: 0 };
    if ((this.#departures.get(key)?.serial ?? 0) > departure.serial) return change.settle?.();
    this.#supersede(key, departure.serial);
    this.#departures.set(key, departure);
    this.#inTurn(key, async () => {
      const isOpen = await this.#ask('notice of a departure', () =>
        this.parts.notices.went(key, departure.serial),
      );
      if (isOpen === false) this.#close(departure);
    });
    if (isFull) this.#settle(departure);
    else this.#line.add(departure);
  }

  /** Forgets everything that is not settled: the store keeps it for other processes. */
  stop(): void {
    this.#line.stop();
    this.#departures.clear();
  }

  #supersede(key: string, serial: number): void {
    const departure = this.#departures.get(key);
    if (departure !== undefined && departure.serial <= serial) this.#close(departure);
  }

  #close(departure: Departure<Place>): void {
    const { key, change } = departure;
    if (this.#departures.get(key) === departure) this.#departures.delete(key);
    change.settle?.();
  }

  #settle(departure: Departure<Place>): void {
    this.#inTurn(departure.key, () => this.#decide(departure));
  }

  async #decide(departure: Departure<Place>): Promise<void> {
    const { key, place, change, serial } = departure;
    if (this.#departures.get(key) !== departure) return;
    departure.tries += 1;
    const isGone = await this.parts.isGone(place);
    const isLast = isGone === false ? false : await this.#lasts(isGone, key, serial);
    if (isLast === null && departure.tries < MAX_TRIES) return this.#line.add(departure);
    if (isLast === false) return this.#close(departure);
    if (this.#departures.get(key) === departure) this.#departures.delete(key);
    this.parts.tell(place, 'went', { ...change, serial });
  }

  /** Null: it cannot be decided now. */
  #lasts(isGone: true | null, key: string, serial: number): Promise<boolean | null> | null {
    return (
      isGone && this.#ask('notice of the end of a departure', () => this.parts.notices.gone(key, serial))
    );
  }

  /** Null: the store cannot be reached. */
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
