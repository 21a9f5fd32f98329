import type { Logger } from '../logging/logger.js';
import type { HealthFailure } from './health-check.js';

const REPEAT_MS = 60_000;

/** Logs the failing of a part when it begins and at most every minute while it lasts, and its end. */
export class FailureLog {
  readonly #loggedMs = new Map<string, number>();

  constructor(private readonly log: Logger) {}

  note(part: string, failure: HealthFailure | null, nowMs: number): void {
    const loggedMs = this.#loggedMs.get(part);
    if (failure === null) {
      if (loggedMs === undefined) return;
      this.#loggedMs.delete(part);
      this.log.info('health check passes again', { part });
      return;
    }
    if (loggedMs !== undefined && nowMs - loggedMs < REPEAT_MS) return;
    this.#loggedMs.set(part, nowMs);
    this.log.warn(`health check of ${part} failed`, {
      part,
      severity: failure.severity,
      error: failure.message,
    });
  }
}
