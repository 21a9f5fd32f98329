export interface BreakerSettings {
  readonly failure_threshold: number;
  readonly cooldown_secs: number;
  readonly half_open_max_inflight: number;
}

/** Evidence of one batch about its provider. Failures of devices and payloads, and unknown ones, are no evidence. */
export interface BatchVerdict {
  readonly anyAccepted: boolean;
  /** At least one failure that is the provider's, the network's or the credential's. */
  readonly anyFailure: boolean;
  /** Retry time requested by the provider; null: none. */
  readonly quotaUntilMs: number | null;
}

export type BreakerState = 'closed' | 'open' | 'half-open';

/**
 * Circuit breaker of one app, provider and credential. Failures open it for the cooldown, after which it is half-open. A
 * `Retry-After` for quota opens it until that time, after which it is closed: the provider named the time itself, and
 * probing would hold most of the traffic for another second at each `Retry-After`.
 */
export class Breaker {
  #failures = 0;
  /** Null: the failures are too few. */
  #openUntilMs: number | null = null;
  /** Quota hold of the provider. */
  #heldUntilMs = -Infinity;
  #probes = 0;

  constructor(private readonly settings: BreakerSettings) {}

  state(nowMs: number): BreakerState {
    if (nowMs < this.#untilMs) return 'open';
    return this.#openUntilMs === null ? 'closed' : 'half-open';
  }

  get #untilMs(): number {
    return Math.max(this.#heldUntilMs, this.#openUntilMs ?? -Infinity);
  }

  /** Returns how many of the wanted sends may begin; 0: none before `untilMs`. The caller reports the outcomes. */
  enter(wanted: number, nowMs: number): { readonly allowed: number; readonly untilMs: number } {
    const state = this.state(nowMs);
    if (state === 'closed') return { allowed: wanted, untilMs: nowMs };
    if (state === 'open') return { allowed: 0, untilMs: this.#untilMs };
    const free = this.settings.half_open_max_inflight - this.#probes;
    const allowed = Math.max(0, Math.min(free, wanted));
    this.#probes += allowed;
    return { allowed, untilMs: nowMs + 1000 };
  }

  /** True: it opened. */
  leave(begun: number, { anyAccepted, anyFailure, quotaUntilMs }: BatchVerdict, nowMs: number): boolean {
    const wasOpen = this.#openUntilMs !== null || nowMs < this.#heldUntilMs;
    this.#probes = Math.max(0, this.#probes - begun);
    if (quotaUntilMs !== null) this.#heldUntilMs = Math.max(this.#heldUntilMs, quotaUntilMs);
    if (anyAccepted) {
      this.#failures = 0;
      this.#openUntilMs = null;
    } else if (anyFailure) {
      this.#failures += 1;
      if (this.#openUntilMs !== null || this.#failures >= this.settings.failure_threshold)
        this.#openUntilMs = nowMs + this.settings.cooldown_secs * 1000;
    }
    return !wasOpen && this.#untilMs > nowMs;
  }
}
