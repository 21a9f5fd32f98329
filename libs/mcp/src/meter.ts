import type { Logger, Metrics } from '@carillon/runtime';
import type { AuthFailure } from './guards/principals.js';

/** The numbers of this face. */
export class Meter {
  constructor(
    private readonly metrics: Metrics,
    private readonly log: Logger,
  ) {}

  /** Reads open streams and sessions at each scrape. */
  watch({ streams, sessions }: { streams: () => number; sessions: () => number }): void {
    const open = this.metrics.gauge('mcp_streams').for();
    const begun = this.metrics.gauge('mcp_sessions').for();
    this.metrics.onScrape(() => {
      open.set(streams());
      begun.set(sessions());
    });
  }

  requested(outcome: string): void {
    this.metrics.counter('mcp_requests_total').for({ outcome }).add();
  }

  called(tool: string, outcome: string, ms: number): void {
    this.metrics.counter('mcp_tool_calls_total').for({ tool, outcome }).add();
    this.metrics.histogram('mcp_tool_latency_ms').for({ tool }).observe(ms);
  }

  authFailed(reason: AuthFailure): void {
    this.metrics.counter('mcp_auth_failures_total').for({ reason }).add();
  }

  rateLimited(principal: string): void {
    this.metrics.counter('mcp_rate_limited_total').for({ principal }).add();
  }

  fault(error: unknown): void {
    this.log.error('unexpected fault of the tool protocol', { error });
  }
}
