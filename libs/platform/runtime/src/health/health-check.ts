/** Effect of a failing check: critical is an error, non-critical a degradation. */
export type Severity = 'critical' | 'non-critical';

export interface HealthCheck {
  /** The dependency, as in `cache`; names the metric label and the log lines, never an answer. */
  readonly part: string;
  readonly severity: Severity;
  /** Throws when the part is not healthy; stops when the signal aborts. Returning is health. */
  check(signal: AbortSignal): Promise<void>;
}

export interface HealthFailure {
  readonly part: string;
  readonly severity: Severity;
  /** Scrubbed, for logs only: answers contain nothing but the status. */
  readonly message: string;
}
