import { Registry } from 'prom-client';
import type { Logger } from '../logging/logger.js';
import { Cells, type LabelValues } from './cells.js';
import { type Distribution, exposeHistogram, exposeValues, type Sample } from './exposition.js';
import { METRICS, type MetricLabels, type MetricName } from './metric-definitions.js';
import type { MetricRow } from './metric-row.js';
import { CounterSeries, GaugeSeries, HistogramSeries } from './series.js';

export interface MetricsOptions {
  /** `metrics.prometheus.prefix`. */
  readonly prefix: string;
  /** The configured main port; the constant `port` label. */
  readonly port: number;
  readonly log: Logger;
  /** Time series per metric before further label sets are counted under `other`. Absent: 2000. */
  readonly max_series_per_metric?: number;
}

/** The time series of one metric. */
export interface Family<Name extends keyof typeof METRICS, Series> {
  /** The series of these label values; it appears in scrapes, at 0, from the first call on. */
  for(...labels: keyof MetricLabels<Name> extends never ? [] : [MetricLabels<Name>]): Series;
}

/** One value of a scrape. */
export interface MetricSample extends Sample {
  readonly name: string;
  readonly type: string;
}

/** One series of a metric at this moment. */
export interface MetricReading {
  readonly labels: LabelValues;
  readonly value: number;
}

type AnySeries = CounterSeries | GaugeSeries | HistogramSeries;
type Collect = () => void | Promise<void>;

/**
 * Metrics of one process. A metric is created when its name is first requested, so a process exposes exactly those of
 * its packages; every name comes from the one table.
 */
export class Metrics {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  readonly #registry = new Registry();
  readonly #families = new Map<string, { row: MetricRow; cells: Cells<AnySeries> }>();
  readonly #known = new Map<string, LabelValues>();
  readonly #beforeScrape: Collect[] = [];
  readonly #limit: number;

  constructor(private readonly options: MetricsOptions) {
    this.#limit = options.max_series_per_metric ?? 2000;
  }

  counter<Name extends MetricName<'counter'>>(name: Name): Family<Name, CounterSeries> {
    return this.#family(name) as unknown as Family<Name, CounterSeries>;
  }

  gauge<Name extends MetricName<'gauge'>>(name: Name): Family<Name, GaugeSeries> {
    return this.#family(name) as unknown as Family<Name, GaugeSeries>;
  }

  /** Sum of all series of a gauge; 0 before its first use. */
  total(name: MetricName<'gauge'>): number {
    let sum = 0;
    for (const { cell } of this.#families.get(name)?.cells.entries() ?? []) {
      if (cell instanceof GaugeSeries) sum += cell.value;
    }
    return sum;
  }

  /** The series of a counter or gauge with their labels; none while nobody has asked for it. */
  *readings(name: MetricName<'counter' | 'gauge'>): Generator<MetricReading> {
    for (const { labels, cell } of this.#families.get(name)?.cells.entries() ?? [])
      if (!(cell instanceof HistogramSeries)) yield { labels, value: cell.value };
  }

  /** Sum of all series of a counter or gauge; 0 while nobody has asked for it. */
  sum(name: MetricName<'counter' | 'gauge'>): number {
    let sum = 0;
    for (const { value } of this.readings(name)) sum += value;
    return sum;
  }

  histogram<Name extends MetricName<'histogram'>>(name: Name): Family<Name, HistogramSeries> {
    return this.#family(name) as unknown as Family<Name, HistogramSeries>;
  }

  /**
   * Initialises every counter with exactly these labels at 0, now and when it is created later: call it with `{
   * app_id }` once an app is known, with `{ driver }` once a driver is. No effect beyond the limit of series.
   */
  known(labels: LabelValues): void {
    const key = JSON.stringify(Object.entries(labels).sort());
    if (this.#known.has(key) || this.#known.size >= this.#limit) return;
    this.#known.set(key, labels);
    for (const { row, cells } of this.#families.values()) appear(row, cells, labels);
  }

  /** Runs before every scrape, to set gauges that are read rather than kept. Must not throw and must be quick. */
  onScrape(collect: Collect): void {
    this.#beforeScrape.push(collect);
  }

  /** The exposition text. */
  async text(): Promise<string> {
    await this.#collect();
    return this.#registry.metrics();
  }

  /** Every value, one by one. */
  async samples(): Promise<MetricSample[]> {
    await this.#collect();
    const metrics = await this.#registry.getMetricsAsJSON();
    return metrics.flatMap(({ name, type, values }) =>
      values.map((one) => ({
        name: (one as { metricName?: string }).metricName ?? name,
        type: String(type),
        labels: Object.fromEntries(Object.entries(one.labels).map(([key, value]) => [key, String(value)])),
        value: one.value,
      })),
    );
  }

  async #collect(): Promise<void> {
    for (const collect of this.#beforeScrape) await collect();
  }

  #family(name: keyof typeof METRICS): { for(labels?: LabelValues): AnySeries } {
    const { cells } = this.#families.get(name) ?? this.#register(name, METRICS[name]);
    return { for: (labels = {}) => cells.get(labels) };
  }

  #register(name: string, row: MetricRow): { row: MetricRow; cells: Cells<AnySeries> } {
    const { prefix, log } = this.options;
    const shown = { name: row.prefixed ? prefix + name : name, help: row.help, labelNames: [...row.labels] };
    const cells = new Cells<AnySeries>(ownLabels(row), this.#limit, creator(row), () =>
      log.warn('metric has too many label sets, further ones count as other', { metric: name }),
    );
    if (row.type === 'histogram') {
      exposeHistogram(this.#registry, shown, row.buckets, () => this.#distributions(row, cells));
    } else exposeValues(this.#registry, row.type, shown, () => this.#values(row, cells));
    if (ownLabels(row).length === 0) cells.get({});
    for (const labels of this.#known.values()) appear(row, cells, labels);
    const family = { row, cells };
    this.#families.set(name, family);
    return family;
  }

  *#values(row: MetricRow, cells: Cells<AnySeries>): Generator<Sample> {
    for (const { labels, cell } of cells.entries()) {
      if (!(cell instanceof HistogramSeries)) {
        yield { labels: this.#withPort(row, labels), value: cell.value };
      }
    }
  }

  *#distributions(row: MetricRow, cells: Cells<AnySeries>): Generator<Distribution> {
    for (const { labels, cell } of cells.entries()) {
      if (cell instanceof HistogramSeries) {
        yield { labels: this.#withPort(row, labels), counts: cell.counts, sum: cell.sum };
      }
    }
  }

  #withPort(row: MetricRow, labels: LabelValues): LabelValues {
    return row.labels.includes('port') ? { ...labels, port: String(this.options.port) } : labels;
  }
}

function creator({ type, buckets }: MetricRow): () => AnySeries {
  if (type === 'counter') return () => new CounterSeries();
  return type === 'gauge' ? () => new GaugeSeries() : () => new HistogramSeries(buckets);
}

const ownLabels = (row: MetricRow): string[] => row.labels.filter((label) => label !== 'port');

function appear(row: MetricRow, cells: Cells<AnySeries>, labels: LabelValues): void {
  const names = ownLabels(row);
  if (row.type !== 'counter' || names.length !== Object.keys(labels).length) return;
  if (names.every((name) => labels[name] !== undefined)) cells.get(labels);
}
