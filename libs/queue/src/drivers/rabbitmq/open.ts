import type { Config } from '@carillon/config';
import { BROKER_CAPABILITIES } from '../../broker/capabilities.js';
import { BrokerLink, toldTo } from '../../broker/link.js';
import { MAX_JOB_BYTES, MAX_JOBS } from '../../job-store.js';
import type { QueueParts } from '../../options.js';
import type { Queue } from '../../port.js';
import { StoreQueue } from '../../store-queue.js';
import { RabbitStore } from './rabbitmq-store.js';
import { RabbitSession } from './session.js';

/** Handlers of one queue at once. */
const CONCURRENCY = 16;

/** Jobs in RabbitMQ. Loads the client library. */
export async function openRabbitQueue(parts: QueueParts, { queue }: Config): Promise<Queue> {
  const { connect } = await import('amqplib');
  const { reliability, log } = parts;
  const { url, prefix, request_timeout_ms: timeoutMs, connection_timeout_ms: timeout } = queue.rabbitmq;
  const link = new BrokerLink({
    open: async (lost) => {
      const connection = await connect(url, { timeout });
      // Before the session exists, an error event without a listener would end the process.
      connection.on('error', () => undefined);
      try {
        return await new RabbitSession({ connection, timeoutMs, lost }).open();
      } catch (error) {
        await connection.close().catch(() => undefined);
        throw error;
      }
    },
    close: (session) => session.close(),
    maxReconnects: null,
    ...toldTo(log),
  });
  return new StoreQueue(
    new RabbitStore({ link, prefix, reliability }),
    {
      driver: 'rabbitmq',
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
