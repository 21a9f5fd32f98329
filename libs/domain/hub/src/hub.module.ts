import { APP_REGISTRY, type AppRegistry } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import { FABRIC, type Fabric } from '@carillon/fabric';
import { Channels } from '@carillon/channels';
import { HISTORY_READER, type HistoryReader, STREAM_READS } from '@carillon/history';
import { HISTORY_STORE, type PresentMembers } from '@carillon/history-store';
import {
  CHANNEL_COUNTS,
  type ChannelCounts,
  CONNECTION_QUOTA,
  type ConnectionQuota,
  PRESENCE,
  type Presence,
} from '@carillon/presence';
import { COMMITS, type Commits, LAST_EVENTS, type LastEvents } from '@carillon/publishing';
import { REPLAY, type Replay } from '@carillon/replay';
import {
  ADMISSION,
  CONFIG,
  LOGGING,
  METRICS_REGISTRY,
  OCCUPANCY_SOURCE,
  SHUTDOWN,
  STARTUP,
  type Admission,
  errorText,
  type Logging,
  type Metrics,
  type Shutdown,
  type Startup,
} from '@carillon/runtime';
import { UwsHttpAdapter } from '@carillon/uws';
import { WEBHOOK_EVENTS, type WebhookEvents } from '@carillon/webhooks';
import { Global, Inject, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { LeftBehind } from './durable/left-behind.js';
import type { StreamReads } from './durable/stream-reads.js';
import { Hub } from './hub.js';

/** Token of the `Hub` of this process. */
export const HUB = Symbol('hub');

/** Whom the log and the shutdown know it as. */
const PART = 'sockets';

const PARTS = [
  CONFIG,
  ADMISSION,
  LOGGING,
  METRICS_REGISTRY,
  SHUTDOWN,
  HttpAdapterHost,
  APP_REGISTRY,
  FABRIC,
  PRESENCE,
  CHANNEL_COUNTS,
  CONNECTION_QUOTA,
  LAST_EVENTS,
  WEBHOOK_EVENTS,
  { token: STREAM_READS, optional: true },
  { token: COMMITS, optional: true },
  { token: REPLAY, optional: true },
  { token: HISTORY_READER, optional: true },
];

function openHub(
  config: Config,
  admission: Admission,
  logging: Logging,
  metrics: Metrics,
  shutdown: Shutdown,
  host: HttpAdapterHost,
  apps: AppRegistry,
  fabric: Fabric,
  presence: Presence,
  channelCounts: ChannelCounts,
  connectionQuota: ConnectionQuota,
  lastEvents: LastEvents,
  webhooks: WebhookEvents,
  streamReads?: StreamReads,
  commits?: Commits,
  replay?: Replay,
  pastReader?: HistoryReader,
): Hub {
  const adapter: unknown = host.httpAdapter;
  if (!(adapter instanceof UwsHttpAdapter)) throw new Error('a hub needs the uws platform');
  const compress = config.websocket.compression !== 'disabled';
  const hub = new Hub({
    config,
    admission,
    metrics,
    apps,
    fabric,
    presence,
    channelCounts,
    connectionQuota,
    lastEvents,
    webhooks,
    streamReads: streamReads ?? null,
    commits: commits ?? null,
    replay: replay ?? null,
    pastReader: pastReader ?? null,
    log: logging.for('service::gateway'),
    publish: (topic, frame) => void adapter.publish(topic, frame, typeof frame !== 'string', compress),
  });
  shutdown.onShutdown('close', PART, (context) => hub.closeAll(context));
  shutdown.onShutdown('membership', PART, () => hub.settle());
  shutdown.onShutdown('leave', PART, () => hub.stop());
  return hub;
}

const LEFT_BEHIND = Symbol('left behind');

/** Null where others live on, who clear up after the dead, or where there is nothing to clear up. */
function clearsUp(
  config: Config,
  logging: Logging,
  startup: Startup,
  shutdown: Shutdown,
  apps: AppRegistry,
  store?: PresentMembers,
  commits?: Commits,
): LeftBehind | null {
  if (config.adapter.driver !== 'local' || store === undefined || commits === undefined) return null;
  const log = logging.for('service::history');
  const leftBehind = new LeftBehind({
    store,
    apps,
    commits,
    channels: new Channels(config),
    onTrouble: (what, error) =>
      log.warn(`${what} not taken out`, { error: errorText(error), retryable: true }),
    done: (members) => log.info('members whom a dead process left behind were taken out', { members }),
  });
  startup.needs({ name: 'presence history', connect: async () => void leftBehind.run() });
  shutdown.onShutdown('membership', 'presence history', async () => leftBehind.stop());
  return leftBehind;
}

/** The hub of the process, for every edge. Needs the modules of the rooms it injects. */
@Global()
@Module({
  providers: [
    { provide: HUB, inject: PARTS, useFactory: openHub },
    {
      provide: LEFT_BEHIND,
      inject: [
        CONFIG,
        LOGGING,
        STARTUP,
        SHUTDOWN,
        APP_REGISTRY,
        { token: HISTORY_STORE, optional: true },
        { token: COMMITS, optional: true },
      ],
      useFactory: clearsUp,
    },
    { provide: OCCUPANCY_SOURCE, inject: [HUB], useFactory: ({ occupancy }: Hub) => occupancy },
  ],
  exports: [HUB, OCCUPANCY_SOURCE],
})
export class HubModule {
  /** Asks for what clears up, so that it is made. */
  constructor(@Inject(LEFT_BEHIND) _leftBehind: LeftBehind | null) {}
}
