import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import type { CounterSeries, GaugeSeries } from '../metrics/series.js';
import type { ProcessState } from '../process-state.js';
import { decide, DISABLED, type Decision } from './decision.js';
import { Descriptors, processDescriptors, type DescriptorCount } from './descriptors.js';
import { memoryReader, type MemoryReader } from './memory-reader.js';

/** The `http_api.accept_traffic` section. */
export interface AdmissionOptions {
  readonly enabled: boolean;
  readonly memory_threshold: number;
  /** Null or absent: the container's limit. */
  readonly memory_limit_bytes?: number | null;
  readonly sample_interval_ms: number;
}

/** Whether new connections are let in. */
export type AdmissionState =
  | 'STARTING'
  | 'ACCEPTING'
  | 'MEMORY_PRESSURE'
  | 'DESCRIPTOR_PRESSURE'
  | 'DRAINING';

export interface AdmissionDependencies {
  readonly process: ProcessState;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Absent: this machine's memory. */
  readonly reader?: MemoryReader;
  /** Absent: those of this process. */
  readonly descriptors?: DescriptorCount;
}

/**
 * Decides whether new connections are let in. Established connections are never its business. Reading `state()` costs
 * next to nothing: memory is sampled on a timer of its own, and descriptors are counted while they may be few.
 */
export class Admission {
  #decision: Decision;
  #timer: NodeJS.Timeout | null = null;
  readonly #reader: MemoryReader;
  readonly #descriptors: Descriptors;
  readonly #shedding: GaugeSeries;
  readonly #rejections: CounterSeries;

  constructor(
    private readonly options: AdmissionOptions,
    private readonly dependencies: AdmissionDependencies,
  ) {
    this.#reader = dependencies.reader ?? memoryReader(options.memory_limit_bytes ?? null);
    this.#descriptors = new Descriptors(dependencies.descriptors ?? processDescriptors(), dependencies.log);
    this.#shedding = dependencies.metrics.gauge('memory_pressure_shedding').for();
    this.#rejections = dependencies.metrics.counter('memory_pressure_rejections_total').for();
    this.#decision = options.enabled ? { monitor: 'UNAVAILABLE', source: 'unavailable' } : DISABLED;
  }

  /** Takes the first sample and starts sampling. Call before the listener opens. */
  start(): void {
    if (!this.options.enabled || this.#timer !== null) return;
    this.sample();
    this.#timer = setInterval(() => this.sample(), this.options.sample_interval_ms).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  state(): AdmissionState {
    const phase = this.dependencies.process.current;
    if (phase === 'STARTING') return 'STARTING';
    if (phase !== 'RUNNING') return 'DRAINING';
    if (this.#decision.monitor === 'SHEDDING') return 'MEMORY_PRESSURE';
    return this.#descriptors.isShort() ? 'DESCRIPTOR_PRESSURE' : 'ACCEPTING';
  }

  /** Values of the two admission headers. */
  get decision(): Decision {
    return this.#decision;
  }

  /** Counts an upgrade that was refused, or closed after the handshake, for memory pressure. */
  countRejection(): void {
    this.#rejections.add();
  }

  /** Looks at memory once; a change between shedding and not is logged. */
  sample(): void {
    const sample = this.#reader();
    const before = this.#decision.monitor === 'SHEDDING';
    this.#decision = decide(this.options.memory_threshold, sample);
    const now = this.#decision.monitor === 'SHEDDING';
    this.#shedding.set(now ? 1 : 0);
    if (before === now) return;
    const fields = {
      rss_bytes: sample.residentBytes,
      limit_bytes: sample.limit?.bytes,
      source: this.#decision.source,
    };
    if (now) this.dependencies.log.warn('memory pressure, refusing new connections', fields);
    else this.dependencies.log.info('memory pressure over, accepting new connections', fields);
  }
}
