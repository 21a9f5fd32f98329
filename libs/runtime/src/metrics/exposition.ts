import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { LabelValues } from './cells.js';

/** How a metric is shown: its full name, help text and all label names. */
export interface Shown {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
}

export interface Sample {
  readonly labels: LabelValues;
  readonly value: number;
}

/** Shows a counter or gauge whose values are ours; they are copied when a scrape asks for them. */
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

/** Shows a histogram; returns how to observe a value of one label set, which then appears with no observations. */
export function exposeHistogram(
  registry: Registry,
  shown: Shown,
  buckets: readonly number[],
): (labels: LabelValues) => (value: number) => void {
  const histogram = new Histogram({ ...shown, buckets: [...buckets], registers: [] });
  registry.registerMetric(histogram);
  return (labels) => {
    histogram.zero(labels);
    return (value) => histogram.observe(labels, value);
  };
}
