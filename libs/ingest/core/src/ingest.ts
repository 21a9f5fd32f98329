import {
  type IngestSource,
  openIngestSource,
  type SourceConfig,
  type SourceParts,
} from '@carillon/ingest-source';
import type { HealthCheck, Logger, Metrics } from '@carillon/runtime';
import { SourceMeters } from './meters.js';
import { IngestPublisher, type PublisherParts } from './publisher.js';
import { SourceSink } from './source-sink.js';

export interface IngestParts extends PublisherParts, SourceParts {
  readonly sources: readonly SourceConfig[];
  readonly metrics: Metrics;
  readonly log: Logger;
}

interface Running {
  readonly config: SourceConfig;
  readonly source: IngestSource;
  readonly meters: SourceMeters;
  readonly sink: SourceSink;
}

/** The enabled sources of the process, each with a sink of its own. */
export class Ingest {
  readonly #running: readonly Running[];

  constructor(parts: IngestParts) {
    const { metrics } = parts;
    this.#running = parts.sources
      .filter(({ enabled }) => enabled)
      .map((config) => {
        const meters = new SourceMeters(metrics, config.name);
        const publisher = new IngestPublisher(parts, {
          apps: new Set([config.app, ...config.apps]),
          idempotencyTtlMs: config.idempotency_ttl_seconds * 1000,
        });
        const sink = new SourceSink(publisher, meters, {
          baseMs: config.retry_base_ms,
          maxMs: config.retry_max_ms,
          maxAttempts: config.max_attempts,
        });
        return { config, source: openIngestSource(config, parts), meters, sink };
      });
    metrics.onScrape(() => {
      for (const { source, meters } of this.#running) meters.show(source.status());
    });
  }

  start(): void {
    for (const { source, sink } of this.#running) source.start(sink);
  }

  /** Stops fetching and waits for the events in flight until `signal` aborts. */
  async stop(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#running.map(({ source }) => source.stop(signal)));
  }

  /** Critical: no source is connected. Otherwise each source that is down or lags is a degradation. */
  healthChecks(): readonly HealthCheck[] {
    const all: HealthCheck = {
      part: 'ingest',
      severity: 'critical',
      check: async () => {
        const isDown = this.#running.every(({ source }) => source.status().problem !== null);
        if (isDown && this.#running.length > 0) throw new Error('no ingest source is connected');
      },
    };
    const each = this.#running.map(({ config, source }): HealthCheck => ({
      part: `ingest:${config.name}`,
      severity: 'non-critical',
      check: async () => {
        const { problem, lagSeconds } = source.status();
        if (problem !== null) throw new Error(problem);
        if (lagSeconds > config.lag_degraded_seconds)
          throw new Error(`the oldest event is ${Math.round(lagSeconds)} s old`);
      },
    }));
    return [all, ...each];
  }
}
