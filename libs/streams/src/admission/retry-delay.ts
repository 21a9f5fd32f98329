import type { Hubs } from '@carillon/realtime';
import type { StreamSettings } from '../settings.js';

/** The reason for a reconnect delay. */
export type RetryKind = 'busy' | 'draining' | 'open' | 'quota';

const SAMPLE_MS = 10_000;
const LEAST_MS = 100;
/** Clients over an application's quota wait longer than those of a full node. */
const QUOTA_FACTOR = 3;

/** Reconnect delays with jitter, so that the clients of one node do not reconnect at the same time. */
export class RetryDelay {
  #before = performance.eventLoopUtilization();
  #sampledMs = performance.now();
  #utilization = 0;

  constructor(
    private readonly settings: Pick<StreamSettings, 'retryMaxMs' | 'retryMinMs'>,
    private readonly hubs: Pick<Hubs, 'connections'>,
    /** Connections that the node may have; 0: no limit. */
    private readonly maxConnections: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** Returns the delay in milliseconds, at least `leastMs`. */
  of(kind: RetryKind, leastMs = 0): number {
    const spread = 0.5 + this.random();
    return Math.max(LEAST_MS, leastMs, Math.round(this.#base(kind) * spread));
  }

  /** For a connection that is closed with a code. */
  closed(code: number): number {
    return this.of(code >= 4100 && code < 4200 ? 'busy' : 'draining');
  }

  #base(kind: RetryKind): number {
    const { retryMinMs, retryMaxMs } = this.settings;
    if (kind === 'draining') return retryMinMs;
    if (kind === 'busy') return retryMaxMs;
    if (kind === 'quota') return QUOTA_FACTOR * retryMaxMs;
    return retryMinMs + this.#load() * (retryMaxMs - retryMinMs);
  }

  /** From 0 to 1: the connections of the node, or the utilization of its event loop if that is higher. */
  #load(): number {
    const nowMs = performance.now();
    if (nowMs - this.#sampledMs >= SAMPLE_MS) {
      const now = performance.eventLoopUtilization();
      this.#utilization = performance.eventLoopUtilization(now, this.#before).utilization;
      this.#before = now;
      this.#sampledMs = nowMs;
    }
    const filled = this.maxConnections === 0 ? 0 : this.hubs.connections / this.maxConnections;
    return Math.min(1, Math.max(filled, this.#utilization));
  }
}
