import type { Config } from '@carillon/config';
import { pulsarClient } from '@carillon/pulsar';
import { BROKER_CAPABILITIES } from '../../broker/capabilities.js';
import { BrokerLink, toldTo } from '../../broker/link.js';
import { MAX_JOBS } from '../../job-store.js';
import type { QueueParts } from '../../options.js';
import type { Queue } from '../../port.js';
import { StoreQueue } from '../../store-queue.js';
import { pulsarPrefix } from './names.js';
import { PulsarStore } from './pulsar-store.js';
import { PulsarQueueSession } from './session.js';

/** Concurrent handlers of one queue. */
const CONCURRENCY = 16;
/** Fits into a frame of the WebSocket API by default, together with the heads of a dead letter. */
const MAX_JOB_BYTES = 700 * 1024;

/** Opens the driver `pulsar`. Rejects when `url` cannot be used. */
export async function openPulsarQueue(parts: QueueParts, { queue }: Config): Promise<Queue> {
  const { reliability, log } = parts;
  const { prefix, request_timeout_ms: timeoutMs } = queue.pulsar;
  const client = pulsarClient(queue.pulsar, 'queue.pulsar');
  const link = new BrokerLink({
    open: async (onLost) => {
      let isOpen = false;
      let failure: string | null = null;
      const healthTopic = `${pulsarPrefix(prefix)}-health`;
      const session = new PulsarQueueSession({
        client,
        healthTopic,
        onLost: (reason) => {
          failure = reason;
          if (isOpen) onLost(reason);
        },
      });
      await session.check();
      if (failure !== null) throw new Error(failure);
      isOpen = true;
      return session;
    },
    close: (session) => session.close(),
    maxReconnects: null,
    ...toldTo(log),
  });
  return new StoreQueue(
    new PulsarStore({ link, prefix, reliability, timeoutMs }),
    {
      driver: 'pulsar',
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
