import type { GaugeSeries, Metrics } from '@carillon/runtime';
import type { StreamKind } from './model/stream.js';
import type { AppSurvey, Evicted } from './retention.js';

/** Metrics of purges by app. The survey counts the whole store: with several writers, use the maximum. */
export class PurgeMetrics {
  /** Series of the last survey, set to 0 when an app is not in the next one. */
  #shown: readonly GaugeSeries[] = [];

  constructor(private readonly metrics: Metrics) {}

  evicted(evicted: readonly Evicted[]): void {
    for (const { appId, kind, records, bytes } of evicted) {
      const labels = { app_id: appId };
      const [count, size] = this.#counters(kind);
      count.for(labels).add(records);
      size.for(labels).add(bytes);
    }
  }

  survey(apps: readonly AppSurvey[]): void {
    for (const series of this.#shown) series.set(0);
    this.#shown = apps.flatMap((app) => this.#show(app));
  }

  #show({ appId, kind, records, bytes, degraded, resetRequired }: AppSurvey): GaugeSeries[] {
    const values = [records, bytes, degraded, resetRequired];
    return this.#gauges(kind).map((family, index) => {
      const series = family.for({ app_id: appId });
      series.set(values[index] ?? 0);
      return series;
    });
  }

  #counters(kind: StreamKind) {
    const { metrics } = this;
    return kind === 'messages'
      ? ([
          metrics.counter('history_evictions_total'),
          metrics.counter('history_evicted_bytes_total'),
        ] as const)
      : ([
          metrics.counter('presence_history_evictions_total'),
          metrics.counter('presence_history_evicted_bytes_total'),
        ] as const);
  }

  #gauges(kind: StreamKind) {
    const { metrics } = this;
    return kind === 'messages'
      ? [
          metrics.gauge('history_retained_messages'),
          metrics.gauge('history_retained_bytes'),
          metrics.gauge('history_degraded_channels'),
          metrics.gauge('history_reset_required_channels'),
        ]
      : [
          metrics.gauge('presence_history_retained_events'),
          metrics.gauge('presence_history_retained_bytes'),
          metrics.gauge('presence_history_degraded_channels'),
          metrics.gauge('presence_history_reset_required_channels'),
        ];
  }
}
