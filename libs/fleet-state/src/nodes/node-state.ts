import type { FleetBus } from '@carillon/broker';
import type { Health, Metrics, ProcessState } from '@carillon/runtime';
import { handlerOf, validated, type Work } from '../gateway/gateway-answers.js';
import { NodeReporter } from './reporter.js';
import { localSeries, SERIES_REQUEST } from './series.js';
import { SeriesRings, STEP_MS } from './series-rings.js';

export interface NodeStateParts {
  readonly bus: FleetBus;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly process: ProcessState;
  readonly role: string;
  readonly reportIntervalMs: number;
}

/** What every process contributes to the fleet: reports and time series. Answers fleet requests by its works. */
export class NodeState {
  readonly works = new Map<string, Work>();
  readonly reporter: NodeReporter;
  readonly #sampling: NodeJS.Timeout;

  constructor({ bus, reportIntervalMs, ...parts }: NodeStateParts) {
    const rings = new SeriesRings(parts.metrics);
    this.works.set(
      'manage_series',
      validated(SERIES_REQUEST, (request) => localSeries(rings, request)),
    );
    bus.serve(handlerOf(this.works));
    this.reporter = new NodeReporter({ bus, ...parts, intervalMs: reportIntervalMs });
    // Steps end at multiples of their length; a late look still records the step that ended.
    this.#sampling = setInterval(() => rings.sample(), STEP_MS / 10).unref();
  }

  stop(): void {
    clearInterval(this.#sampling);
    this.reporter.stop();
  }
}
