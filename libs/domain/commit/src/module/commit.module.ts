import type { Config } from '@carillon/config';
import { FABRIC, type OpenedFabric } from '@carillon/fabric';
import { HISTORY_STORE, type DurableStore } from '@carillon/history-store';
import {
  CONFIG,
  LOGGING,
  type Logging,
  METRICS_REGISTRY,
  type Metrics,
  SHUTDOWN,
  type Shutdown,
  STARTUP,
  type Startup,
} from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { WEBHOOK_EVENTS, type WebhookEvents } from '@carillon/webhooks';
import { CommitClient } from '../client/commit-client.js';
import type { CommitTransport } from '../client/transport.js';
import { systemClock } from '../clock.js';
import { LocalReads } from '../reads/local-reads.js';
import type { ChannelReads } from '../reads/port.js';
import { ReadClient } from '../reads/read-client.js';
import type { Writer } from '../writer/writer.js';
import { isClustered, writeTimeoutMs } from './settings.js';
import { localTransport, remoteTransport } from './transport.js';
import { COMMIT_WRITER } from './writer.module.js';

/** Token of the `CommitClient`. */
export const COMMIT_CLIENT = Symbol('commit client');
/** Token of the `ChannelReads`. */
export const CHANNEL_READS = Symbol('channel reads');

const COMMIT_TRANSPORT = Symbol('commit transport');

/** What a request has beside the one record that fills it. */
const REQUEST_BYTES = 4096;

const optional = (token: symbol) => ({ token, optional: true });

function clientOf(
  config: Config,
  metrics: Metrics,
  fabric: OpenedFabric,
  transport: CommitTransport,
): CommitClient {
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
      nodeId: fabric.nodeId,
      budgetMs: writeTimeoutMs(config),
      maxRecordBytes: isClustered(config) ? fabric.lanes.maxBytes - REQUEST_BYTES : null,
    },
  );
}

/** A process with a store reads there; another one asks the writers. */
function readsOf(config: Config, fabric: OpenedFabric, store?: DurableStore): ChannelReads {
  if (store !== undefined) return new LocalReads(store, Date.now);
  return new ReadClient(fabric.lanes, systemClock, {
    lanes: config.history.writer_shards,
    nodeId: fabric.nodeId,
    timeoutMs: writeTimeoutMs(config),
  });
}

/**
 * The publisher's side of durable channels, for the whole process. With `adapter.driver` `local` the process is its own
 * writer and needs the history store; else the writers are asked, and that of this process directly if it has one.
 * Needs `RuntimeModule` and the fabric.
 */
@Global()
@Module({
  providers: [
    {
      provide: COMMIT_TRANSPORT,
      inject: [
        CONFIG,
        LOGGING,
        METRICS_REGISTRY,
        STARTUP,
        SHUTDOWN,
        FABRIC,
        optional(HISTORY_STORE),
        optional(COMMIT_WRITER),
        optional(WEBHOOK_EVENTS),
      ],
      useFactory: (
        config: Config,
        logging: Logging,
        metrics: Metrics,
        startup: Startup,
        shutdown: Shutdown,
        fabric: OpenedFabric,
        store?: DurableStore,
        writer?: Writer,
        webhooks?: WebhookEvents,
      ): CommitTransport => {
        const log = logging.for('service::commit');
        const around = { config, log, metrics, startup, shutdown, fabric, store, writer, webhooks };
        return isClustered(config) ? remoteTransport(around) : localTransport(around);
      },
    },
    {
      provide: COMMIT_CLIENT,
      inject: [CONFIG, METRICS_REGISTRY, FABRIC, COMMIT_TRANSPORT],
      useFactory: clientOf,
    },
    { provide: CHANNEL_READS, inject: [CONFIG, FABRIC, optional(HISTORY_STORE)], useFactory: readsOf },
  ],
  exports: [CHANNEL_READS, COMMIT_CLIENT],
})
export class CommitModule {}
