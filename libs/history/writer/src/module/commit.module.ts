import { BROKER, type OpenedBroker } from '@carillon/broker';
import { HISTORY_STORE, type DurableStore } from '@carillon/history-store';
import { optional, provider, RUNTIME, type RuntimeParts, token } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { WEBHOOK_EVENTS } from '@carillon/webhooks';
import { CommitClient } from '../client/commit-client.js';
import type { CommitTransport } from '../client/transport.js';
import { systemClock } from '../clock.js';
import { LocalReads } from '../reads/local-reads.js';
import type { ChannelReads } from '../reads/port.js';
import { ReadClient } from '../reads/read-client.js';
import { isClustered, writeTimeoutMs } from './settings.js';
import { localTransport, remoteTransport } from './transport.js';
import { COMMIT_WRITER } from './writer.module.js';

export const COMMIT_CLIENT = token<CommitClient>('commit client');
export const CHANNEL_READS = token<ChannelReads>('channel reads');

const COMMIT_TRANSPORT = token<CommitTransport>('commit transport');

/** Bytes of a request besides one record that fills it. */
const REQUEST_BYTES = 4096;

interface ClientParts extends RuntimeParts {
  readonly broker: OpenedBroker;
  readonly transport: CommitTransport;
}

function clientOf({ config, metrics, broker, transport }: ClientParts): CommitClient {
  const resends = metrics.counter('commit_resends_total');
  const requests = metrics.histogram('commit_request_ms');
  return new CommitClient(
    {
      clock: systemClock,
      transport,
      random: Math.random,
      resent: (cause) => resends.for({ cause }).add(),
      ended: (result, afterMs) => requests.for({ result }).observe(afterMs),
    },
    {
      lanes: config.history.writer_shards,
      nodeId: broker.nodeId,
      budgetMs: writeTimeoutMs(config),
      maxRecordBytes: isClustered(config) ? broker.lanes.maxBytes - REQUEST_BYTES : null,
    },
  );
}

interface ReadsParts extends RuntimeParts {
  readonly broker: OpenedBroker;
  readonly store: DurableStore | undefined;
}

/** A process with a store reads from it; others send requests to the writers. */
function readsOf({ config, broker, store }: ReadsParts): ChannelReads {
  if (store !== undefined) return new LocalReads(store, Date.now);
  return new ReadClient(broker.lanes, systemClock, {
    lanes: config.history.writer_shards,
    nodeId: broker.nodeId,
    timeoutMs: writeTimeoutMs(config),
  });
}

/**
 * The publisher's side of durable channels, for the whole process. With `adapter.driver` `local` the process is its own
 * writer and needs the history store; else the writers are asked, and that of this process directly if it has one.
 * Needs `RuntimeModule` and the broker.
 */
@Global()
@Module({
  providers: [
    provider(
      COMMIT_TRANSPORT,
      {
        ...RUNTIME,
        broker: BROKER,
        store: optional(HISTORY_STORE),
        writer: optional(COMMIT_WRITER),
        webhooks: optional(WEBHOOK_EVENTS),
      },
      (parts) => {
        const around = { ...parts, log: parts.logging.for('service::commit') };
        return isClustered(parts.config) ? remoteTransport(around) : localTransport(around);
      },
    ),
    provider(COMMIT_CLIENT, { ...RUNTIME, broker: BROKER, transport: COMMIT_TRANSPORT }, clientOf),
    provider(CHANNEL_READS, { ...RUNTIME, broker: BROKER, store: optional(HISTORY_STORE) }, readsOf),
  ],
  exports: [CHANNEL_READS, COMMIT_CLIENT],
})
export class CommitModule {}
