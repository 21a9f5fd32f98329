import { bounded, type Metrics } from '@carillon/runtime';
import type { QueueObserver } from './options.js';
import type { Queue } from './port.js';

/** Limit of a scrape's wait for the broker; late values keep their last state. */
const SCRAPE_MS = 1000;

/** Counts outcomes of jobs. */
export function countJobs(metrics: Metrics, backend: string): QueueObserver {
  const jobsEnqueued = metrics.counter('queue_enqueue_total');
  const jobsClaimed = metrics.counter('queue_claimed_total');
  const deliveriesSettled = metrics.counter('queue_settled_total');
  const jobsProcessed = metrics.counter('queue_jobs_processed_total');
  const duration = metrics.histogram('queue_processing_duration_seconds');
  return {
    enqueued: (queue, outcome, count) => jobsEnqueued.for({ backend, queue, outcome }).add(count),
    claimed: (queue, count) => jobsClaimed.for({ backend, queue }).add(count),
    processed: (queue, seconds) => duration.for({ backend, queue }).observe(seconds),
    settled: (queue, outcome, count) => {
      deliveriesSettled.for({ backend, queue, outcome }).add(count);
      if (outcome === 'ok' || outcome === 'retry' || outcome === 'dead') {
        jobsProcessed.for({ queue, outcome }).add(count);
      }
    },
  };
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
        // A broker without ages has no series: 0 would mean an empty queue.
        if (queue.capabilities.observableAge && (oldestReadyAgeMs !== null || ready === 0)) {
          age.for({ queue: name }).set((oldestReadyAgeMs ?? 0) / 1000);
        }
      }),
    );
  });
}
