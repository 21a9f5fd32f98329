/** A count that only grows. Adding is one addition: hold on to the series in hot paths. */
export class CounterSeries {
  value = 0;

  /** A negative or non-finite amount is ignored: a counter never falls. */
  add(amount = 1): void {
    if (amount > 0 && amount < Infinity) this.value += amount;
  }
}

/** A value that goes up and down. */
export class GaugeSeries {
  value = 0;

  set(value: number): void {
    this.value = value;
  }

  add(amount = 1): void {
    this.value += amount;
  }

  subtract(amount = 1): void {
    this.value -= amount;
  }
}

/** A distribution of observed values. Observing is two additions: hold on to the series in hot paths. */
export class HistogramSeries {
  /** Observations by the first bound they do not exceed; the last ones exceed all. */
  readonly counts: number[];
  sum = 0;

  /** Bounds rise. */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** A non-finite value is ignored. */
  observe(value: number): void {
    if (!Number.isFinite(value)) return;
    let at = 0;
    while (value > (this.bounds[at] ?? Infinity)) at += 1;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.sum += value;
  }
}
