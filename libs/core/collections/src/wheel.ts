/** What a wheel carries: the members are the wheel's own. */
export interface WheelItem<Item> {
  /** The tick it stands at; 0: on no wheel. */
  dueTick: number;
  next: Item | null;
  previous: Item | null;
}

const SLOTS = 512;

/** How far ahead an item can stand; one that is due later fires then, and its owner puts it back. */
export const FARTHEST_TICKS = SLOTS - 1;

/**
 * Timers for very many items with one real timer for all: an item stands in the slot of its tick, linked through its
 * own members, so that adding, moving and removing cost a few assignments and no memory.
 */
export class Wheel<Item extends WheelItem<Item>> {
  readonly #first: (Item | null)[] = Array.from({ length: SLOTS }, () => null);
  #tick = 1;

  /** `fire` is given each due item, off the wheel already; it may put back and remove whatever it likes. */
  constructor(private readonly fire: (item: Item) => void) {}

  /** The current tick, from 1 up. */
  get tick(): number {
    return this.#tick;
  }

  /** Puts an item on the wheel, or moves it: never before the next tick and at most {@link FARTHEST_TICKS} ahead. */
  put(item: Item, dueTick: number): void {
    this.remove(item);
    item.dueTick = Math.min(Math.max(dueTick, this.#tick + 1), this.#tick + FARTHEST_TICKS);
    const slot = item.dueTick % SLOTS;
    const first = this.#first[slot] ?? null;
    item.next = first;
    if (first !== null) first.previous = item;
    this.#first[slot] = item;
  }

  /** Takes an item off; nothing happens when it is on no wheel. */
  remove(item: Item): void {
    if (item.dueTick === 0) return;
    if (item.next !== null) item.next.previous = item.previous;
    if (item.previous !== null) item.previous.next = item.next;
    else this.#first[item.dueTick % SLOTS] = item.next;
    item.next = null;
    item.previous = null;
    item.dueTick = 0;
  }

  /** Goes on to that tick, firing what is due on the way, tick by tick. */
  advance(toTick: number): void {
    while (this.#tick < toTick) {
      this.#tick += 1;
      const slot = this.#tick % SLOTS;
      for (let item = this.#first[slot] ?? null; item !== null; item = this.#first[slot] ?? null) {
        this.remove(item);
        this.fire(item);
      }
    }
  }
}
