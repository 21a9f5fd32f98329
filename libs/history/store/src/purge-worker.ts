import { pause } from '@carillon/runtime';
import type { AppSurvey, Evicted, HistoryRetention, PurgeRequest } from './retention.js';

/** Parts of a purge worker. */
export interface PurgeWorkerParts {
  readonly store: HistoryRetention;
  readonly now: () => number;
  /** Waits; ends early when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called with the rows that each step removed from histories. */
  readonly onEvicted: (evicted: readonly Evicted[]) => void;
  /** Called with the survey after every tick. */
  readonly onSurvey: (survey: readonly AppSurvey[]) => void;
  readonly onFailure: (error: unknown) => void;
}

export interface PurgeWorkerOptions extends Omit<PurgeRequest, 'nowMs'> {
  readonly intervalMs: number;
  /** Rows that one tick may remove; the next tick continues. */
  readonly maxPerTick: number;
}

/** A shorter time between two ticks is raised to this. */
const SHORTEST_INTERVAL_MS = 10_000;

/** Interval of removing rows over the caps of their channel, independent of complete ticks. */
const TRIM_EVERY_MS = 30_000;

/**
 * Purges a store at once and then time and again, until it is stopped. Every process with the store may run one: they
 * take turns. A failure ends the tick, not the worker.
 */
export class PurgeWorker {
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(
    private readonly parts: PurgeWorkerParts,
    private readonly options: PurgeWorkerOptions,
  ) {}

  /** Idempotent. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when the step that runs has ended. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** One tick; never rejects. Gives how many rows were removed. */
  async tick(extent: 'all' | 'capped' = 'all'): Promise<number> {
    const { store, now, onEvicted, onSurvey, onFailure } = this.parts;
    const { batch, receiptsKeptMs, windowMs, maxPerTick } = this.options;
    let removed = 0;
    try {
      for (let more = true; more && removed < maxPerTick && !this.#stopping.signal.aborted;) {
        const only = extent === 'capped' ? ({ onlyCapped: true } as const) : {};
        const step = await store.purge({ nowMs: now(), batch, receiptsKeptMs, windowMs, ...only });
        if (step === null) return removed;
        removed += step.removed;
        more = step.more;
        if (step.evicted.length > 0) onEvicted(step.evicted);
      }
      if (extent === 'all') onSurvey(await store.survey());
    } catch (thrown) {
      onFailure(thrown);
    }
    return removed;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const wait = this.parts.pause ?? pause;
    const intervalMs = Math.max(SHORTEST_INTERVAL_MS, this.options.intervalMs);
    while (!signal.aborted) {
      await this.tick();
      for (let leftMs = intervalMs; leftMs > 0 && !signal.aborted; leftMs -= TRIM_EVERY_MS) {
        if (leftMs < intervalMs) await this.tick('capped');
        await wait(Math.min(leftMs, TRIM_EVERY_MS), signal);
      }
    }
  }
}
