interface Series {
  set(value: number): void;
}

interface Gauge<Labels> {
  for(labels: Labels): Series;
}

/** A gauge whose series come and go: one that is no longer there shows 0. */
export class ComingAndGoing<Labels extends object> {
  #shown = new Map<string, Labels>();

  show(gauge: Gauge<Labels>, rows: readonly (readonly [Labels, number])[]): void {
    const now = new Map(rows.map(([labels]) => [JSON.stringify(labels), labels]));
    for (const [name, labels] of this.#shown) if (!now.has(name)) gauge.for(labels).set(0);
    for (const [labels, value] of rows) gauge.for(labels).set(value);
    this.#shown = now;
  }
}
