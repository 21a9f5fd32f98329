import { type HrTime, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  InstrumentType,
  type MetricData,
} from '@opentelemetry/sdk-metrics';

/** One sample of a scrape. */
export interface ScrapedSample {
  readonly name: string;
  readonly type: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Buckets {
  readonly labels: Readonly<Record<string, string>>;
  /** Upper bound → how many are not above it. */
  readonly cumulative: [number, number][];
  sum: number;
  count: number;
}

const PART = /^(.*)_(bucket|sum|count)$/;

const time = (ms: number): HrTime => [Math.floor(ms / 1000), (ms % 1000) * 1e6];

/** Reassembles histograms from the individual samples of a scrape. */
function histogramPoints(samples: readonly ScrapedSample[]): Map<string, Map<string, Buckets>> {
  const families = new Map<string, Map<string, Buckets>>();
  for (const { name, labels, value } of samples) {
    const [, family = '', part] = PART.exec(name) ?? [];
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    const points = families.get(family) ?? new Map<string, Buckets>();
    const point = points.get(key) ?? { labels: own, cumulative: [], sum: 0, count: 0 };
    families.set(family, points.set(key, point));
    if (part === 'sum') point.sum = value;
    else if (part === 'count') point.count = value;
    else if (le !== '+Inf') point.cumulative.push([Number(le), value]);
  }
  return families;
}

function countsOf({ cumulative, count }: Buckets): { boundaries: number[]; counts: number[] } {
  const ordered = [...cumulative].sort(([one], [other]) => one - other);
  const upTo = [...ordered.map(([, number]) => number), count];
  return {
    boundaries: ordered.map(([bound]) => bound),
    counts: upTo.map((number, index) => number - (upTo[index - 1] ?? 0)),
  };
}

const described = (name: string, type: InstrumentType) => ({
  descriptor: { name, description: '', unit: '', valueType: ValueType.DOUBLE, type },
  aggregationTemporality: AggregationTemporality.CUMULATIVE,
});

/** A scrape in the words of OpenTelemetry. */
export function metricData(samples: readonly ScrapedSample[], startMs: number, nowMs: number): MetricData[] {
  const span = { startTime: time(startMs), endTime: time(nowMs) };
  const plain = new Map<string, ScrapedSample[]>();
  const parts: ScrapedSample[] = [];
  for (const sample of samples) {
    if (sample.type === 'histogram') parts.push(sample);
    else plain.set(sample.name, [...(plain.get(sample.name) ?? []), sample]);
  }
  const values = [...plain].map(([name, points]): MetricData => {
    const dataPoints = points.map(({ labels, value }) => ({ ...span, attributes: labels, value }));
    return points[0]?.type === 'counter'
      ? {
          ...described(name, InstrumentType.COUNTER),
          dataPointType: DataPointType.SUM,
          isMonotonic: true,
          dataPoints,
        }
      : { ...described(name, InstrumentType.GAUGE), dataPointType: DataPointType.GAUGE, dataPoints };
  });
  const histograms = [...histogramPoints(parts)].map(([name, points]): MetricData => ({
    ...described(name, InstrumentType.HISTOGRAM),
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: [...points.values()].map((point) => ({
      ...span,
      attributes: point.labels,
      value: { buckets: countsOf(point), sum: point.sum, count: point.count },
    })),
  }));
  return [...values, ...histograms];
}
