import type { Config } from '@carillon/config';
import { BROKER_CAPABILITIES } from '../../broker/capabilities.js';
import type { QueueParts } from '../../options.js';
import type { Queue } from '../../port.js';
import { StoreQueue } from '../../store-queue.js';
import { BATCH } from '../aws/batches.js';
import { clientOptions, queuePlace } from '../aws/client.js';
import { SqsCalls } from './calls.js';
import { SqsQueues } from './queues.js';
import { SqsStore } from './sqs-store.js';

/** Fits into a message of 256 KiB, together with its head and that of a dead letter. */
const MAX_JOB_BYTES = 200 * 1024;
const MAX_DELAY_MS = 900_000;
/** Request timeout beyond the long-poll time. */
const ANSWER_MS = 10_000;

/** Jobs in SQS, with the credentials of the process. Loads the client library. */
export async function openSqsQueue(parts: QueueParts, { queue: { sqs } }: Config): Promise<Queue> {
  const sdk = await import('@aws-sdk/client-sqs');
  const { reliability } = parts;
  const { region, endpoint_url: endpoint, fifo: isFifo, visibility_timeout: visibilitySeconds } = sqs;
  const place = queuePlace('SQS', region, endpoint);
  const client = new sdk.SQSClient({
    ...clientOptions(place, sqs.wait_time_seconds * 1000 + ANSWER_MS),
    ...(endpoint === null ? {} : { useQueueUrlAsEndpoint: false }),
  });
  const calls = new SqsCalls(sdk, client, place);
  const urlPrefix = sqs.queue_url_prefix;
  return new StoreQueue(
    new SqsStore({
      calls,
      queues: new SqsQueues({ calls, urlPrefix, isFifo, visibilitySeconds }),
      isFifo,
      groupId: sqs.message_group_id,
      visibilitySeconds,
      waitSeconds: sqs.wait_time_seconds,
      mostMessages: sqs.max_messages,
      reliability,
    }),
    {
      driver: 'sqs',
      capabilities: { ...BROKER_CAPABILITIES, delayedDelivery: !isFifo, deduplication: isFifo },
      limits: {
        maxDelayMs: isFifo ? 0 : MAX_DELAY_MS,
        maxBatchJobs: Math.min(reliability.max_batch_size, BATCH),
        maxJobBytes: MAX_JOB_BYTES,
        attemptOverride: false,
      },
      concurrency: sqs.concurrency,
      isFenced: false,
      holdsAhead: !isFifo,
      lease: {
        lease_duration_ms: visibilitySeconds * 1000,
        lease_renew_interval_ms: (visibilitySeconds * 1000) / 2,
      },
    },
    parts,
  );
}
