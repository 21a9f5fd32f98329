import { toServiceError } from '@carillon/errors';
import type { Metrics } from '@carillon/runtime';
import type { HttpResponse } from '@carillon/uws';
import type { ActiveSession } from './auth/sessions.js';

const MAX_SESSIONS = 10_000;

/** Metrics of the management API. */
export class Meter {
  /** End of the idle time of sessions that this process served, by hash. */
  readonly #sessions = new Map<string, number>();

  constructor(
    private readonly metrics: Metrics,
    now: () => number = Date.now,
  ) {
    const sessions = metrics.gauge('management_sessions').for();
    metrics.onScrape(() => {
      for (const [hash, endMs] of this.#sessions) if (endMs <= now()) this.#sessions.delete(hash);
      sessions.set(this.#sessions.size);
    });
  }

  authFailed(reason: string): void {
    this.metrics.counter('management_auth_failures_total').for({ reason }).add();
  }

  sessionUsed({ hash, idleExpiresAtMs }: ActiveSession): void {
    if (this.#sessions.size < MAX_SESSIONS || this.#sessions.has(hash))
      this.#sessions.set(hash, idleExpiresAtMs);
  }

  sessionEnded(hash: string): void {
    this.#sessions.delete(hash);
  }

  /** Counts an answered request; `error` is set where it is answered after this call. */
  finished(route: string, method: string, response: HttpResponse, error: unknown, startedMs: number): void {
    const status = String(error === null ? response.statusCode : toServiceError(error).status);
    this.metrics.counter('management_requests_total').for({ route, method, status }).add();
    const seconds = (performance.now() - startedMs) / 1000;
    this.metrics.histogram('management_request_duration_seconds').for({ route }).observe(seconds);
  }
}
