import { errorText } from '../logging/redaction.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import { bounded } from '../time.js';
import { FailureLog } from './failure-log.js';
import type { HealthCheck, HealthFailure } from './health-check.js';

export type HealthStatus = 'OK' | 'DEGRADED' | 'ERROR';

export interface HealthResult {
  readonly status: HealthStatus;
  readonly failures: readonly HealthFailure[];
}

export interface HealthOptions {
  readonly health_check_timeout_ms: number;
  /** 0: every probe runs the checks, but shares a running round. */
  readonly health_check_cache_ms: number;
}

const FOLLOW_EVERY_MS = 5000;

/** A check that neither ends nor heeds its signal is not started again beyond this many times. */
const MAX_HANGING = 10;

/** The health checks of a process, run together and shared by all probes. */
export class Health {
  readonly #checks: HealthCheck[] = [];
  readonly #hanging = new Map<string, number>();
  readonly #failures: FailureLog;
  #running: Promise<HealthResult> | null = null;
  #last: { readonly result: HealthResult; readonly atMs: number } | null = null;

  constructor(
    private readonly options: HealthOptions,
    private readonly metrics: Metrics,
    log: Logger,
  ) {
    this.#failures = new FailureLog(log);
  }

  /** Adds a check. A part that is skipped is simply not registered. Two checks of one part are a mistake. */
  register(check: HealthCheck): void {
    if (this.#checks.some(({ part }) => part === check.part)) {
      throw new Error(`health check ${check.part} is registered twice`);
    }
    this.#checks.push(check);
    this.#last = null;
  }

  /** Names of the registered checks. */
  get parts(): readonly string[] {
    return this.#checks.map(({ part }) => part);
  }

  /** The present health: the last result while it is fresh, else one new round. Never rejects. */
  check(): Promise<HealthResult> {
    const last = this.#last;
    if (last !== null && performance.now() - last.atMs < this.options.health_check_cache_ms) {
      return Promise.resolve(last.result);
    }
    this.#running ??= this.#round().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Runs the checks periodically, so that metrics follow the state. Returns a function that stops it. */
  follow(everyMs: number = FOLLOW_EVERY_MS): () => void {
    void this.check();
    const timer = setInterval(() => void this.check(), everyMs).unref();
    return () => clearInterval(timer);
  }

  async #round(): Promise<HealthResult> {
    const results = await Promise.all(
      this.#checks.map(async (check) => ({ part: check.part, failure: await this.#run(check) })),
    );
    for (const { part, failure } of results) {
      this.metrics
        .gauge('dependency_up')
        .for({ dependency: part })
        .set(failure === null ? 1 : 0);
      this.#failures.note(part, failure, Date.now());
    }
    const failures = results.map(({ failure }) => failure).filter((failure) => failure !== null);
    const result = { status: statusOf(failures), failures };
    this.#last = { result, atMs: performance.now() };
    return result;
  }

  async #run(check: HealthCheck): Promise<HealthFailure | null> {
    const { part, severity } = check;
    const hanging = this.#hanging.get(part) ?? 0;
    if (hanging >= MAX_HANGING) return { part, severity, message: `${part} health check does not end` };
    this.#hanging.set(part, hanging + 1);
    const ended = (): void => {
      this.#hanging.set(part, (this.#hanging.get(part) ?? 1) - 1);
    };
    const outcome = await bounded(this.options.health_check_timeout_ms, async (signal) => {
      try {
        await check.check(signal);
      } finally {
        ended();
      }
    });
    if (outcome.kind === 'done') return null;
    if (outcome.kind === 'timeout') return { part, severity, message: `${part} health check timeout` };
    return { part, severity, message: errorText(outcome.error) };
  }
}

function statusOf(failures: readonly HealthFailure[]): HealthStatus {
  if (failures.some(({ severity }) => severity === 'critical')) return 'ERROR';
  return failures.length > 0 ? 'DEGRADED' : 'OK';
}
