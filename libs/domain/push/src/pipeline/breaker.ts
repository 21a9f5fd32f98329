export interface BreakerSettings {
  readonly failure_threshold: number;
  readonly cooldown_secs: number;
  readonly half_open_max_inflight: number;
}

/** What one batch says about its provider. Failures of devices, payloads and unknown ones say nothing. */
export interface BatchVerdict {
  readonly anyAccepted: boolean;
  /** At least one failure that is the provider's, the network's or the credential's. */
  readonly anyFailure: boolean;
  /** Until when the provider wants to be left alone; null: it did not say. */
  readonly quotaUntilMs: number | null;
}

export type BreakerState = 'closed' | 'open' | 'half-open';

/** Keeps sends away from a provider that fails. Of one app, provider and credential. */
export class Breaker {
  #failures = 0;
  /** Null: closed. */
  #openUntilMs: number | null = null;
  #probes = 0;

  constructor(private readonly settings: BreakerSettings) {}

  state(nowMs: number): BreakerState {
    if (this.#openUntilMs === null) return 'closed';
    return nowMs < this.#openUntilMs ? 'open' : 'half-open';
  }

  /** How many of so many sends may begin now; 0: none before `untilMs`. Whoever begins some says how they ended. */
  enter(wanted: number, nowMs: number): { readonly allowed: number; readonly untilMs: number } {
    const state = this.state(nowMs);
    if (state === 'closed') return { allowed: wanted, untilMs: nowMs };
    if (state === 'open') return { allowed: 0, untilMs: this.#openUntilMs ?? nowMs };
    const free = this.settings.half_open_max_inflight - this.#probes;
    const allowed = Math.max(0, Math.min(free, wanted));
    this.#probes += allowed;
    return { allowed, untilMs: nowMs + 1000 };
  }

  /** True: it opened. */
  leave(begun: number, { anyAccepted, anyFailure, quotaUntilMs }: BatchVerdict, nowMs: number): boolean {
    const wasProbing = this.#openUntilMs !== null;
    this.#probes = Math.max(0, this.#probes - begun);
    if (anyAccepted) {
      this.#failures = 0;
      this.#openUntilMs = null;
    }
    // What the provider itself says of its quota counts, also where some went through or others failed.
    let untilMs = quotaUntilMs ?? nowMs;
    if (anyFailure && !anyAccepted) {
      this.#failures += 1;
      const isEnough = wasProbing || this.#failures >= this.settings.failure_threshold;
      if (isEnough) untilMs = Math.max(untilMs, nowMs + this.settings.cooldown_secs * 1000);
    }
    return untilMs > nowMs && this.#open(untilMs);
  }

  #open(untilMs: number): boolean {
    const opened = this.#openUntilMs === null;
    this.#openUntilMs = untilMs;
    return opened;
  }
}
