import type { Config } from '@carillon/config';
import { PubsubClient } from '@carillon/google';
import { BROKER_CAPABILITIES } from '../../broker/capabilities.js';
import { MAX_JOB_BYTES, MAX_JOBS } from '../../job-store.js';
import type { QueueParts } from '../../options.js';
import type { Queue } from '../../port.js';
import { StoreQueue } from '../../store-queue.js';
import { PubsubCalls } from './calls.js';
import { pubsubQueueNames } from './names.js';
import { MAX_HIDDEN_MS, PubsubStore } from './pubsub-store.js';
import { QueueTopics } from './queue-topics.js';

/** Concurrent handlers of one queue. */
const CONCURRENCY = 16;

/** Jobs in Google Pub/Sub, with the credentials of the process. The client library is loaded at the first request. */
export async function openPubsubQueue(parts: QueueParts, { queue }: Config): Promise<Queue> {
  const { reliability } = parts;
  const settings = queue.google_pubsub;
  const calls = new PubsubCalls(() => PubsubClient.open({ settings, block: 'queue.google_pubsub' }));
  const leaseSeconds = Math.ceil(Math.min(reliability.lease_duration_ms, MAX_HIDDEN_MS) / 1000);
  const topics = new QueueTopics(calls, pubsubQueueNames(settings.prefix), leaseSeconds);
  return new StoreQueue(
    new PubsubStore({ calls, topics, leaseSeconds, reliability }),
    {
      driver: 'google-pubsub',
      capabilities: { ...BROKER_CAPABILITIES, observableLag: false },
      limits: {
        maxDelayMs: 0,
        maxBatchJobs: Math.min(reliability.max_batch_size, MAX_JOBS),
        maxJobBytes: MAX_JOB_BYTES,
        attemptOverride: false,
      },
      concurrency: CONCURRENCY,
      isFenced: false,
    },
    parts,
  );
}
