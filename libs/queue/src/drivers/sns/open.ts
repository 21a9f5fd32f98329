import type { Config } from '@carillon/config';
import { BROKER_CAPABILITIES } from '../../broker/capabilities.js';
import type { QueueParts } from '../../options.js';
import type { Queue } from '../../port.js';
import { StoreQueue } from '../../store-queue.js';
import { BATCH } from '../aws/batches.js';
import { clientOptions, queuePlace } from '../aws/client.js';
import { SnsCalls } from './calls.js';
import { SnsStore } from './sns-store.js';

/** Same limit as for SQS, which receives the messages. */
const MAX_JOB_BYTES = 200 * 1024;
const ANSWER_MS = 10_000;

/** Jobs published to a topic of SNS, with the credentials of the process. Loads the client library. */
export async function openSnsQueue(parts: QueueParts, { queue: { sns } }: Config): Promise<Queue> {
  const sdk = await import('@aws-sdk/client-sns');
  const place = queuePlace('SNS', sns.region, sns.endpoint_url);
  const client = new sdk.SNSClient(clientOptions(place, ANSWER_MS));
  const calls = new SnsCalls(sdk, client, place, sns.topic_arn);
  return new StoreQueue(
    new SnsStore(calls, sns.topic_arn.endsWith('.fifo')),
    {
      driver: 'sns',
      capabilities: {
        ...BROKER_CAPABILITIES,
        consume: false,
        acknowledgements: false,
        retries: false,
        deadLetter: false,
        leasing: false,
        observableLag: false,
      },
      limits: {
        maxDelayMs: 0,
        maxBatchJobs: Math.min(parts.reliability.max_batch_size, BATCH),
        maxJobBytes: MAX_JOB_BYTES,
        attemptOverride: false,
      },
      concurrency: 1,
      isFenced: true,
    },
    parts,
  );
}
