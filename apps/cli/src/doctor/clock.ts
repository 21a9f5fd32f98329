/** Differences between the clock of this machine and those of dependencies, in seconds. Positive: this machine is behind. */
export class Clock {
  readonly skews = new Map<string, number>();

  /** `theirMs`: the other clock, read between `beforeMs` and `afterMs` of this one. */
  compare(name: string, theirMs: number, beforeMs: number, afterMs: number): void {
    const skew = (theirMs - (beforeMs + afterMs) / 2) / 1000;
    this.skews.set(name, Math.round(skew * 10) / 10);
  }
}
