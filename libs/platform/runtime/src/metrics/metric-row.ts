/** One metric with its help and labels. Its name is the key of the row. */
export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
  /** Upper bounds; histograms only. */
  readonly buckets: readonly number[];
  /** False for the process gauges whose names are the same everywhere. */
  readonly prefixed: boolean;
}

/** Label set A of the specification. `port` is the configured main port and filled in by the registry. */
export const APP = ['app_id', 'port'] as const;

export const MILLISECONDS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000];
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
export const REBUILD_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
export const STREAM_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
export const RATIO = [1, 2, 4, 8, 16, 32, 64, 128];
export const DECADES = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];
/** Records in one commit; batches are cut at a few hundred. */
export const BATCH_RECORDS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000];

const row =
  <Type extends MetricRow['type']>(type: Type) =>
  <const Labels extends readonly string[]>(
    labels: Labels,
    help: string,
    buckets: readonly number[] = [],
  ) => ({
    type,
    labels,
    help,
    buckets,
    prefixed: true,
  });

export const counter = row('counter');
export const gauge = row('gauge');
const anyHistogram = row('histogram');

export const histogram = <const Labels extends readonly string[]>(
  buckets: readonly number[],
  labels: Labels,
  help: string,
) => anyHistogram(labels, help, buckets);

/** The same row under its own name, without the configured prefix. */
export const unprefixed = <Row extends MetricRow>(given: Row): Row => ({ ...given, prefixed: false });
