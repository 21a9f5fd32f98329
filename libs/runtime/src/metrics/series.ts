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

/** A distribution of observed values. */
export class HistogramSeries {
  constructor(private readonly record: (value: number) => void) {}

  /** A non-finite value is ignored. */
  observe(value: number): void {
    if (Number.isFinite(value)) this.record(value);
  }
}
