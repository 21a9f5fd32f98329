import { bounded, type Metrics } from '@carillon/runtime';
import type { QueueParts } from './options.js';
import type { Queue } from './port.js';

/** A scrape waits no longer for the broker; what it does not tell in time keeps its last value. */
const SCRAPE_MS = 1000;

/** Counts what becomes of deliveries. */
export function countSettled(metrics: Metrics): NonNullable<QueueParts['onSettled']> {
  const processed = metrics.counter('queue_jobs_processed_total');
  return (queue, outcome, count) => processed.for({ queue, outcome }).add(count);
}

/** Shows at every scrape how much waits in the queues this process uses, and for how long. */
export function showDepths(queue: Queue, metrics: Metrics): void {
  if (!queue.capabilities.observableLag) return;
  const jobs = metrics.gauge('queue_jobs');
  const age = metrics.gauge('queue_oldest_ready_age_seconds');
  metrics.onScrape(async () => {
    await Promise.all(
      [...queue.queues].map(async (name) => {
        const outcome = await bounded(SCRAPE_MS, () => queue.stats(name));
        if (outcome.kind !== 'done') return;
        const { ready, delayed, active, deadLetter, oldestReadyAgeMs } = outcome.value;
        const states = { ready, delayed, leased: active, dead: deadLetter };
        for (const [state, count] of Object.entries(states)) {
          if (count !== null) jobs.for({ queue: name, state }).set(count);
        }
        if (oldestReadyAgeMs !== null || ready === 0) {
          age.for({ queue: name }).set((oldestReadyAgeMs ?? 0) / 1000);
        }
      }),
    );
  });
}
