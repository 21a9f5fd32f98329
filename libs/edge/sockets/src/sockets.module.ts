import { APP_REGISTRY, type AppRegistry } from '@carillon/app-registry';
import { CACHE, type Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { HISTORY_READER, type HistoryReader } from '@carillon/history';
import { HUB, HubModule, type Hub } from '@carillon/hub';
import { PRESENCE, type Presence } from '@carillon/presence';
import { PUBLISHER, type Publisher } from '@carillon/publishing';
import { RATE_LIMIT, type RateLimit } from '@carillon/rate-limit';
import {
  ADMISSION,
  CONFIG,
  LOGGING,
  METRICS_REGISTRY,
  SHUTDOWN,
  type Admission,
  type Logging,
  type Metrics,
  type Shutdown,
} from '@carillon/runtime';
import { WEBHOOK_EVENTS, type WebhookEvents } from '@carillon/webhooks';
import { Module } from '@nestjs/common';
import { Sockets } from './sockets.js';
import { SOCKETS, SocketsGateway } from './sockets.gateway.js';

const PARTS = [
  CONFIG,
  HUB,
  ADMISSION,
  LOGGING,
  METRICS_REGISTRY,
  SHUTDOWN,
  APP_REGISTRY,
  PRESENCE,
  PUBLISHER,
  RATE_LIMIT,
  WEBHOOK_EVENTS,
  CACHE,
  { token: HISTORY_READER, optional: true },
];

function openSockets(
  config: Config,
  hub: Hub,
  admission: Admission,
  logging: Logging,
  metrics: Metrics,
  shutdown: Shutdown,
  apps: AppRegistry,
  presence: Presence,
  publisher: Publisher,
  rateLimit: RateLimit,
  webhooks: WebhookEvents,
  cache: Cache,
  historyReader?: HistoryReader,
): Sockets {
  const log = logging.for('service::gateway');
  const sockets = new Sockets({
    config,
    hub,
    admission,
    apps,
    presence,
    publisher,
    rateLimit,
    webhooks,
    cache,
    historyReader: historyReader ?? null,
    metrics,
    log,
  });
  shutdown.onShutdown('leave', 'heartbeats', () => sockets.stop());
  return sockets;
}

/** The WebSocket route. Needs the modules of the rooms it injects. */
@Module({
  imports: [HubModule],
  providers: [{ provide: SOCKETS, inject: PARTS, useFactory: openSockets }, SocketsGateway],
})
export class SocketsModule {}
