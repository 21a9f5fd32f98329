import { clientConfig } from '@carillon/kafka';
import type { Config } from '@carillon/config';
import type { PartitionAssigner } from 'kafkajs';
import { BROKER_CAPABILITIES } from '../../broker/capabilities.js';
import { BrokerLink, toldTo } from '../../broker/link.js';
import { MAX_JOBS } from '../../job-store.js';
import type { QueueParts } from '../../options.js';
import type { Queue } from '../../port.js';
import { StoreQueue } from '../../store-queue.js';
import { KafkaStore } from './kafka-store.js';
import { KafkaQueueSession } from './session.js';

/** Handlers of one queue at once. */
const CONCURRENCY = 16;
/** Fits into a record of brokers with the default `message.max.bytes`, together with the heads of a dead letter. */
const MAX_JOB_BYTES = 900 * 1024;
/** Long-poll time of an idle fetch; a stop waits for it. */
const MAX_FETCH_WAIT_MS = 250;
/** Limit of one fetch response. */
const MAX_FETCH_BYTES = 4 * 1024 * 1024;

/** Opens the driver `kafka`. Loads the client library. */
export async function openKafkaQueue(parts: QueueParts, { queue, instance }: Config): Promise<Queue> {
  const { default: kafkajs } = await import('kafkajs');
  const { reliability, log } = parts;
  const settings = queue.kafka;
  const timeoutMs = settings.request_timeout_ms;
  const kafka = new kafkajs.Kafka({
    ...clientConfig(settings, 'queue.kafka', instance.process_id),
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const newConsumer = (groupId: string, partitionAssigners?: readonly PartitionAssigner[]) =>
    kafka.consumer({
      groupId,
      sessionTimeout: reliability.lease_duration_ms,
      heartbeatInterval: reliability.lease_renew_interval_ms,
      maxWaitTimeInMs: MAX_FETCH_WAIT_MS,
      maxBytes: MAX_FETCH_BYTES,
      allowAutoTopicCreation: false,
      retry: { retries: 3, restartOnFailure: () => Promise.resolve(false) },
      ...(partitionAssigners === undefined ? {} : { partitionAssigners: [...partitionAssigners] }),
    });
  const link = new BrokerLink({
    open: async (onLost) => {
      const admin = kafka.admin();
      const createPartitioner = kafkajs.Partitioners.DefaultPartitioner;
      const producer = kafka.producer({ createPartitioner, allowAutoTopicCreation: false });
      try {
        await admin.connect();
        await producer.connect();
        return new KafkaQueueSession({ admin, producer, timeoutMs, onLost });
      } catch (error) {
        await Promise.allSettled([admin.disconnect(), producer.disconnect()]);
        throw error;
      }
    },
    close: (session) => session.close(),
    maxReconnects: null,
    ...toldTo(log),
  });
  const { prefix } = settings;
  const { AssignerProtocol: protocol } = kafkajs;
  return new StoreQueue(
    new KafkaStore({
      link,
      prefix,
      reliability,
      timeoutMs,
      protocol,
      newConsumer,
      onConsumerLost: (queueName, reason) =>
        log.warn('consumer of a queue failed, joining its group again', {
          queue: queueName,
          reason,
          retryable: true,
        }),
    }),
    {
      driver: 'kafka',
      capabilities: BROKER_CAPABILITIES,
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
