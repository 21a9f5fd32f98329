import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';
import type { FleetBus } from '@carillon/broker';
import {
  type Health,
  type HealthFailure,
  type Metrics,
  type ProcessState,
  serviceVersion,
} from '@carillon/runtime';
import type { Dependency, NodeReport } from './report.js';

export interface ReporterParts {
  readonly bus: Pick<FleetBus, 'nodeId' | 'notify'>;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly process: ProcessState;
  /** Name of the app. */
  readonly role: string;
  readonly intervalMs: number;
}

const RESOLUTION_MS = 40;
const NANOSECONDS = 1e6;
const SECOND_MS = 1000;
const STATES = { STARTING: 'starting', RUNNING: 'ready', DRAINING: 'draining', STOPPED: 'draining' } as const;

/** Publishes what this process reports about itself, at intervals and when its state changes. */
export class NodeReporter {
  readonly #startedAtMs = Math.round(performance.timeOrigin);
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: NodeJS.Timeout;
  #cpu = process.cpuUsage();
  #atMs = performance.now();
  #counted = { in: 0, out: 0 };
  /** As the latest health check found them. */
  #dependencies: readonly Dependency[] = [];
  #isReporting = false;
  #isStopped = false;

  constructor(private readonly parts: ReporterParts) {
    this.#delay.enable();
    this.#timer = setInterval(() => void this.report(), parts.intervalMs).unref();
    void this.report();
  }

  /** Publishes a report now. Never rejects; concurrent calls are one. */
  async report(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    try {
      await this.#check();
      if (!this.#isStopped) this.announce();
    } finally {
      this.#isReporting = false;
    }
  }

  /** Publishes a report at once, with the dependencies of the latest health check. */
  announce(): void {
    this.parts.bus.notify('node_report', this.#report(this.#dependencies));
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#delay.disable();
  }

  #report(dependencies: readonly Dependency[]): NodeReport {
    const { bus, metrics, role, intervalMs } = this.parts;
    const nowMs = performance.now();
    const elapsedMs = Math.max(1, nowMs - this.#atMs);
    const cpu = process.cpuUsage(this.#cpu);
    const counted = {
      in: metrics.sum('messages_published_total'),
      out: metrics.sum('ws_messages_sent_total'),
    };
    const perSecond = (now: number, before: number): number =>
      rounded((Math.max(0, now - before) * SECOND_MS) / elapsedMs);
    const { rss, heapUsed: heap_used } = process.memoryUsage();
    const report: NodeReport = {
      node_id: bus.nodeId,
      role,
      version: serviceVersion(),
      state: STATES[this.parts.process.current],
      started_at_ms: this.#startedAtMs,
      reported_at_ms: Date.now(),
      cpu: rounded((cpu.user + cpu.system) / SECOND_MS / elapsedMs),
      event_loop_lag_ms: { p50: this.#lagMs(50), p99: this.#lagMs(99) },
      memory: { rss, heap_used, limit: memoryLimit() },
      connections: Math.max(0, metrics.sum('connected')),
      channels: Math.max(0, metrics.sum('active_channels')),
      messages_per_second: {
        in: perSecond(counted.in, this.#counted.in),
        out: perSecond(counted.out, this.#counted.out),
      },
      dependencies,
      interval_ms: intervalMs,
    };
    this.#cpu = process.cpuUsage();
    this.#atMs = nowMs;
    this.#counted = counted;
    this.#delay.reset();
    return report;
  }

  async #check(): Promise<void> {
    const { failures } = await this.parts.health.check();
    const failed = new Map(failures.map((failure) => [failure.part, failure]));
    this.#dependencies = this.parts.health.parts.map((name) => dependency(name, failed.get(name)));
  }

  #lagMs(percentile: number): number {
    const measuredMs = this.#delay.percentile(percentile) / NANOSECONDS;
    return rounded(Math.max(0, measuredMs - RESOLUTION_MS));
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

const memoryLimit = (): number | null => {
  const limit = process.constrainedMemory();
  return limit > 0 && Number.isSafeInteger(limit) ? limit : null;
};

/** Only classes of errors are reported: texts may hold addresses. */
function dependency(name: string, failure: HealthFailure | undefined): Dependency {
  if (failure === undefined) return { name, state: 'up', latency_ms: null, error: null };
  const error = failure.message.endsWith('timeout') ? 'timeout' : 'unavailable';
  return { name, state: failure.severity === 'critical' ? 'down' : 'degraded', latency_ms: null, error };
}
