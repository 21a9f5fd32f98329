/** Element of a wheel; its members are maintained by the wheel. */
export interface WheelItem<Item> {
  /** Tick at which it is due; 0: on no wheel. */
  dueTick: number;
  next: Item | null;
  previous: Item | null;
}

const SLOTS = 512;

/** Longest delay of an element; one that is due later fires then, and its owner adds it again. */
export const FARTHEST_TICKS = SLOTS - 1;

/**
 * Timer wheel for very many elements with one real timer: an element is linked into the slot of its tick through its
 * own members, so that adding, moving and removing are O(1) without allocation.
 */
export class Wheel<Item extends WheelItem<Item>> {
  readonly #first: (Item | null)[] = Array.from({ length: SLOTS }, () => null);
  #tick = 1;

  /** `fire` receives each due element, already removed; it may add and remove elements. */
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

  /** Advances to a tick and fires due elements tick by tick. */
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
