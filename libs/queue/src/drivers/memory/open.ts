import { MAX_JOB_BYTES } from '../../job-store.js';
import type { QueueParts } from '../../options.js';
import type { Queue } from '../../port.js';
import { StoreQueue } from '../../store-queue.js';
import { MemoryStore } from './memory-store.js';

const CONCURRENCY = 64;

/** Jobs of this process only, lost when it ends. */
export function openMemoryQueue(parts: QueueParts): Queue {
  const { reliability, log } = parts;
  return new StoreQueue(
    new MemoryStore(reliability, log),
    {
      driver: 'memory',
      capabilities: {
        consume: true,
        acknowledgements: true,
        delayedDelivery: true,
        retries: true,
        deadLetter: true,
        deduplication: true,
        leasing: false,
        durable: false,
        batchEnqueue: true,
        fairOwners: true,
        observableLag: true,
        observableAge: true,
      },
      limits: {
        maxDelayMs: Infinity,
        maxBatchJobs: reliability.max_batch_size,
        maxJobBytes: MAX_JOB_BYTES,
        attemptOverride: true,
      },
      concurrency: CONCURRENCY,
      isFenced: true,
    },
    parts,
  );
}
