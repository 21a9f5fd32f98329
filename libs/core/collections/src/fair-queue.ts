/** Cost of one item. */
const COST = 10;

interface Lane<Item> {
  readonly weight: number;
  readonly items: Item[];
  credit: number;
}

/**
 * Deficit round robin between apps, independent of their backlog: at its turn an app is credited its weight, and
 * serves an item if the credit suffices. FIFO within an app.
 */
export class FairQueue<Item> {
  /** In the order of their turns. */
  readonly #lanes = new Map<string, Lane<Item>>();

  /** Apps that have something here. */
  get apps(): number {
    return this.#lanes.size;
  }

  waiting(app: string): number {
    return this.#lanes.get(app)?.items.length ?? 0;
  }

  /** The first item of each app. */
  *heads(): Iterable<readonly [app: string, item: Item]> {
    for (const [app, { items }] of this.#lanes) {
      const [first] = items;
      if (first !== undefined) yield [app, first];
    }
  }

  /** The weight, 1 to 10, holds until the app has nothing left here. Absent: the same turns as every other app. */
  add(app: string, item: Item, weight = COST): void {
    const lane = this.#lanes.get(app);
    if (lane === undefined) this.#lanes.set(app, { weight, items: [item], credit: 0 });
    else lane.items.push(item);
  }

  /** Takes the next item of the apps that are ready. Null: none of them has one. */
  take(isReady: (app: string) => boolean = () => true): Item | null {
    // A lane that is put back comes once more, behind the others.
    for (const [app, lane] of this.#lanes) {
      if (!isReady(app)) continue;
      this.#lanes.delete(app);
      lane.credit += lane.weight;
      const item = lane.credit >= COST ? lane.items.shift() : undefined;
      if (item !== undefined) lane.credit -= COST;
      if (lane.items.length > 0) this.#lanes.set(app, lane);
      if (item !== undefined) return item;
    }
    return null;
  }

  remove(app: string, item: Item): void {
    const items = this.#lanes.get(app)?.items ?? [];
    const place = items.indexOf(item);
    if (place >= 0) items.splice(place, 1);
    if (items.length === 0) this.#lanes.delete(app);
  }
}
