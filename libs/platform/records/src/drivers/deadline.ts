import { setTimeout } from 'node:timers/promises';

const FIRST_DELAY_MS = 20;
const MAX_DELAY_MS = 500;

/** Limit of one call: its requests and the waits between them. */
export class Deadline {
  readonly signal: AbortSignal;

  constructor(readonly timeoutMs: number) {
    this.signal = AbortSignal.timeout(timeoutMs);
  }

  get hasPassed(): boolean {
    return this.signal.aborted;
  }

  /** Waits before attempt `attempt` + 1: exponentially longer, with jitter. Rejects when the deadline passes. */
  async backOff(attempt: number): Promise<void> {
    const most = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
    await setTimeout(most * (0.5 + Math.random() / 2), undefined, { signal: this.signal });
  }
}
