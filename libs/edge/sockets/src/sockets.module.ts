import { APP_REGISTRY, type AppRegistry } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import { FABRIC, type Fabric } from '@carillon/fabric';
import {
  CHANNEL_COUNTS,
  type ChannelCounts,
  CONNECTION_QUOTA,
  type ConnectionQuota,
  PRESENCE,
  type Presence,
} from '@carillon/presence';
import {
  COMMITS,
  type Commits,
  LAST_EVENTS,
  PUBLISHER,
  type LastEvents,
  type Publisher,
} from '@carillon/publishing';
import { STREAM_READS } from '@carillon/history';
import { RATE_LIMIT, type RateLimit } from '@carillon/rate-limit';
import {
  ADMISSION,
  CONFIG,
  LOGGING,
  METRICS_REGISTRY,
  OCCUPANCY_SOURCE,
  SHUTDOWN,
  type Admission,
  type Logging,
  type Metrics,
  type Shutdown,
} from '@carillon/runtime';
import { UwsHttpAdapter } from '@carillon/uws';
import { WEBHOOK_EVENTS, type WebhookEvents } from '@carillon/webhooks';
import { Global, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { StreamReads } from './durable/stream-reads.js';
import { Sockets } from './sockets.js';
import { SOCKETS, SocketsGateway } from './sockets.gateway.js';

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
  PUBLISHER,
  LAST_EVENTS,
  RATE_LIMIT,
  WEBHOOK_EVENTS,
  { token: STREAM_READS, optional: true },
  { token: COMMITS, optional: true },
];

function openSockets(
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
  publisher: Publisher,
  lastEvents: LastEvents,
  rateLimit: RateLimit,
  webhooks: WebhookEvents,
  streamReads?: StreamReads,
  commits?: Commits,
): Sockets {
  const adapter: unknown = host.httpAdapter;
  if (!(adapter instanceof UwsHttpAdapter)) throw new Error('sockets need the uws platform');
  const compress = config.websocket.compression !== 'disabled';
  const sockets = new Sockets({
    config,
    admission,
    metrics,
    apps,
    fabric,
    presence,
    channelCounts,
    connectionQuota,
    publisher,
    lastEvents,
    rateLimit,
    webhooks,
    streamReads: streamReads ?? null,
    commits: commits ?? null,
    log: logging.for('service::gateway'),
    publish: (topic, text) => void adapter.publish(topic, text, false, compress),
  });
  shutdown.onShutdown('close', PART, (context) => sockets.closeAll(context));
  shutdown.onShutdown('membership', PART, () => sockets.settle());
  shutdown.onShutdown('leave', PART, () => sockets.stop());
  return sockets;
}

/** The WebSocket route and everything behind it. Needs the modules of the rooms it injects. */
@Global()
@Module({
  providers: [
    { provide: SOCKETS, inject: PARTS, useFactory: openSockets },
    {
      provide: OCCUPANCY_SOURCE,
      inject: [SOCKETS],
      useFactory: ({ occupancy }: Sockets) => occupancy,
    },
    SocketsGateway,
  ],
  exports: [OCCUPANCY_SOURCE],
})
export class SocketsModule {}
