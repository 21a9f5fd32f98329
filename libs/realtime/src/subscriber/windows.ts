/** Rate limit: number of events per time window. */
export interface WindowRule {
  /** Infinity: unlimited. */
  readonly attempts: number;
  readonly lengthMs: number;
  /** Whether exceeding the limit closes the subscriber instead of returning an error. */
  readonly terminates: boolean;
}

/** Fixed windows of one subscriber, one per limit: each begins with the first attempt after the last has ended. */
export class Windows {
  #framesSinceMs = -Infinity;
  #frames = 0;
  #clientEventsSinceMs = -Infinity;
  #clientEvents = 0;

  /** Counts one inbound frame; returns false if it exceeds the limit. */
  frame(rule: WindowRule, nowMs: number): boolean {
    if (nowMs - this.#framesSinceMs >= rule.lengthMs) {
      this.#framesSinceMs = nowMs;
      this.#frames = 0;
    }
    this.#frames += 1;
    return this.#frames <= rule.attempts;
  }

  /** Counts client events; returns false if they exceed the limit. */
  clientEvent(rule: WindowRule, nowMs: number, count = 1): boolean {
    if (nowMs - this.#clientEventsSinceMs >= rule.lengthMs) {
      this.#clientEventsSinceMs = nowMs;
      this.#clientEvents = 0;
    }
    this.#clientEvents += count;
    return this.#clientEvents <= rule.attempts;
  }
}
