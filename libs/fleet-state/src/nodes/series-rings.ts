import type { Metrics } from '@carillon/runtime';
import { GAUGES, SERIES_NAMES, SERIES_RULES, type SeriesName, valuesByApp } from './series-names.js';

export const STEP_MS = 10_000;
export const STEPS = 90;
/** Apps with rings of their own; values of others are only in the sums over all apps. */
const MAX_APPS = 1000;
/** Key of the sums over all apps; no app has an empty id. */
const ALL = '';

/** Values of one series, oldest first; null: unknown. */
export type SeriesValues = readonly (number | null)[];

/** The last 15 minutes of this process, sampled from its metrics. */
export class SeriesRings {
  /** By app, then by name. The place of a step is its number modulo the length. */
  readonly #rings = new Map<string, Map<SeriesName, Float64Array>>();
  #before = new Map<SeriesName, ReadonlyMap<string, number>>();
  #firstStep: number | null = null;
  #lastStep: number | null = null;

  constructor(
    private readonly metrics: Pick<Metrics, 'readings'>,
    private readonly now: () => number = Date.now,
  ) {
    this.#before = this.#read();
  }

  /** Records the step that has just ended. Called once per step. */
  sample(): void {
    const step = this.#step - 1;
    if (this.#lastStep !== null && step <= this.#lastStep) return;
    this.#blank(step);
    const values = this.#read();
    for (const [name, byApp] of values) {
      const before = this.#before.get(name);
      let sum = 0;
      for (const [app, value] of byApp) {
        const change = GAUGES.has(name) ? value : value - (before?.get(app) ?? 0);
        sum += change;
        if (app !== ALL) this.#put(app, name, step, change);
      }
      this.#put(ALL, name, step, sum);
    }
    this.#before = values;
    this.#firstStep ??= step;
    this.#lastStep = step;
  }

  /** Values up to `lastStep`, over these apps (null: all), oldest first. */
  values(name: SeriesName, apps: readonly string[] | null, lastStep: number): SeriesValues {
    return Array.from({ length: STEPS }, (_, at) => this.#at(name, apps, lastStep - STEPS + 1 + at));
  }

  #at(name: SeriesName, apps: readonly string[] | null, step: number): number | null {
    const [first, last] = [this.#firstStep, this.#lastStep];
    if (SERIES_RULES[name] === undefined || first === null || last === null) return null;
    if (step < first || step > last || step <= last - STEPS) return null;
    return (apps ?? [ALL]).reduce(
      (sum, app) => sum + (this.#rings.get(app)?.get(name)?.[step % STEPS] ?? 0),
      0,
    );
  }

  get #step(): number {
    return Math.floor(this.now() / STEP_MS);
  }

  #read(): Map<SeriesName, ReadonlyMap<string, number>> {
    return new Map(
      SERIES_NAMES.filter((name) => SERIES_RULES[name] !== undefined).map((name) => [
        name,
        valuesByApp(this.metrics, name),
      ]),
    );
  }

  /** Steps in which nothing was sampled hold nothing. */
  #blank(step: number): void {
    const from = Math.max((this.#lastStep ?? step - 1) + 1, step - STEPS + 1);
    for (let one = from; one <= step; one += 1)
      for (const byName of this.#rings.values()) for (const ring of byName.values()) ring[one % STEPS] = 0;
  }

  #put(app: string, name: SeriesName, step: number, value: number): void {
    let byName = this.#rings.get(app);
    if (byName === undefined) {
      if (value === 0 || (app !== ALL && this.#rings.size > MAX_APPS)) return;
      byName = new Map();
      this.#rings.set(app, byName);
    }
    const ring = byName.get(name) ?? new Float64Array(STEPS);
    byName.set(name, ring);
    ring[step % STEPS] = value;
  }
}
