import type { Config } from '@carillon/config';
import { openIggy, streamOptions } from '@carillon/iggy';
import { BROKER_CAPABILITIES } from '../../broker/capabilities.js';
import { MAX_JOBS } from '../../job-store.js';
import type { QueueParts } from '../../options.js';
import type { Queue } from '../../port.js';
import { StoreQueue } from '../../store-queue.js';
import { IggyStore } from './iggy-store.js';

/** Concurrent handlers of one queue. */
const CONCURRENCY = 16;
/** Fits into a request of servers by default, together with the heads of a dead letter. */
const MAX_JOB_BYTES = 900 * 1024;
const BLOCK = 'queue.iggy';

/** Opens the driver `iggy`. Rejects when its settings cannot be used. */
export async function openIggyQueue(parts: QueueParts, { queue }: Config): Promise<Queue> {
  const { reliability } = parts;
  const settings = queue.iggy;
  const store = new IggyStore({
    client: openIggy(settings, BLOCK),
    stream: streamOptions(settings, BLOCK),
    topicPrefix: settings.queue_topic_prefix,
    consumerPrefix: settings.consumer_group_prefix,
    partitions: settings.partitions_count,
    partition: settings.partition_id,
    batchSize: settings.poll_batch_size,
    intervalMs: settings.poll_interval_ms,
    timeoutMs: settings.request_timeout_ms,
    reliability,
  });
  return new StoreQueue(
    store,
    {
      driver: 'iggy',
      capabilities: { ...BROKER_CAPABILITIES, observableLag: false },
      limits: {
        maxDelayMs: 0,
        maxBatchJobs: Math.min(reliability.max_batch_size, MAX_JOBS),
        maxJobBytes: MAX_JOB_BYTES,
        attemptOverride: false,
      },
      concurrency: CONCURRENCY,
      isFenced: true,
    },
    parts,
  );
}
