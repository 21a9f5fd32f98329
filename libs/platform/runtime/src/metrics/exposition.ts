import { Counter, Gauge, Histogram, type MetricType, type Registry } from 'prom-client';
import type { LabelValues } from './cells.js';

/** Exposed form of a metric: full name, help text and label names. */
export interface Shown {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

export interface Sample {
  readonly labels: LabelValues;
  readonly value: number;
}

/** Registers a counter or gauge whose values are ours; they are copied at a scrape. */
export function exposeValues(
  registry: Registry,
  type: 'counter' | 'gauge',
  shown: Shown,
  samples: () => Iterable<Sample>,
): void {
  if (type === 'counter') {
    const counter: Counter = new Counter({
      ...shown,
      registers: [],
      collect() {
        counter.reset();
        for (const { labels, value } of samples()) counter.inc(labels, value);
      },
    });
    registry.registerMetric(counter);
    return;
  }
  const gauge: Gauge = new Gauge({
    ...shown,
    registers: [],
    collect() {
      gauge.reset();
      for (const { labels, value } of samples()) gauge.set(labels, value);
    },
  });
  registry.registerMetric(gauge);
}

/** Scraped values of one histogram series. */
export interface Distribution {
  readonly labels: LabelValues;
  /** Counts as in `HistogramSeries`. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Shows a histogram whose counts are ours, in the words of the library. */
export function exposeHistogram(
  registry: Registry,
  shown: Shown,
  buckets: readonly number[],
  distributions: () => Iterable<Distribution>,
): void {
  const lines = (): (Sample & { metricName: string })[] =>
    [...distributions()].flatMap((one) => linesOf(shown.name, buckets, one));
  class ShownHistogram extends Histogram {
    override get() {
      return this.getForPromString();
    }

    async getForPromString() {
      const { name, help } = shown;
      return {
        name,
        help,
        type: 'histogram' as unknown as MetricType,
        aggregator: 'sum' as const,
        values: lines(),
        collect: () => undefined,
      };
    }
  }
  registry.registerMetric(new ShownHistogram({ ...shown, buckets: [...buckets], registers: [] }));
}

function linesOf(
  name: string,
  buckets: readonly number[],
  { labels, counts, sum }: Distribution,
): (Sample & { metricName: string })[] {
  let total = 0;
  const lines = counts.map((count, at) => {
    total += count;
    const le = String(buckets[at] ?? '+Inf');
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: total };
  });
  return [
    ...lines,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
