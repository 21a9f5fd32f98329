import type { Config } from '@carillon/config';
import { NatsDialer } from '@carillon/nats';
import { BROKER_CAPABILITIES } from '../../broker/capabilities.js';
import { BrokerLink, toldTo } from '../../broker/link.js';
import { trimmedPrefix } from '../../broker/names.js';
import { MAX_JOBS } from '../../job-store.js';
import type { QueueParts } from '../../options.js';
import type { Queue } from '../../port.js';
import { StoreQueue } from '../../store-queue.js';
import { NatsStore } from './nats-store.js';
import { jetStreamSession } from './session.js';

/** Handlers of one queue at once, of which each waits for its acknowledgement. */
const CONCURRENCY = 16;
/** Fits into the default message limit of servers, 1 MiB, with its header and that of a dead letter. */
const MAX_JOB_BYTES = 900 * 1024;

/** Jobs in JetStream of NATS. Throws when a setting cannot be used. */
export function openNatsQueue(parts: QueueParts, { queue: { nats: settings }, instance }: Config): Queue {
  const { reliability, log } = parts;
  const { prefix, request_timeout_ms: timeoutMs } = settings;
  const inboxPrefix = `_INBOX.${trimmedPrefix(prefix)}.queue`;
  const dialer = new NatsDialer({
    section: 'queue.nats',
    settings,
    connectionName: instance.process_id,
    inboxPrefix,
    onEvent: (event) => log.debug('connection to NATS', { event }),
  });
  const link = new BrokerLink({
    open: async (lost) => {
      const connection = await dialer.open();
      connection.closed.then(lost).catch(() => undefined);
      return jetStreamSession(connection, timeoutMs);
    },
    close: ({ connection }) => connection.close(),
    maxReconnects: settings.max_reconnects,
    ...toldTo(log),
  });
  return new StoreQueue(
    new NatsStore({ link, prefix, timeoutMs, reliability }),
    {
      driver: 'nats',
      capabilities: { ...BROKER_CAPABILITIES, observableAge: true },
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
