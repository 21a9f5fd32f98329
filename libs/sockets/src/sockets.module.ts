import { APP_REGISTRY } from '@carillon/app-registry';
import { CACHE } from '@carillon/cache';
import { HISTORY_READER } from '@carillon/history-reader';
import { HUB, HubModule } from '@carillon/realtime';
import { PRESENCE } from '@carillon/presence';
import { PUBLISHER } from '@carillon/history-publish';
import { RATE_LIMIT } from '@carillon/rate-limit';
import { optional, type PartsOf, provider, RUNTIME } from '@carillon/runtime';
import { WEBHOOK_EVENTS } from '@carillon/webhooks';
import { Module } from '@nestjs/common';
import { Sockets } from './sockets.js';
import { SOCKETS, SocketsGateway } from './sockets.gateway.js';

const PARTS = {
  ...RUNTIME,
  hub: HUB,
  apps: APP_REGISTRY,
  presence: PRESENCE,
  publisher: PUBLISHER,
  rateLimit: RATE_LIMIT,
  webhooks: WEBHOOK_EVENTS,
  cache: CACHE,
  historyReader: optional(HISTORY_READER),
};

function openSockets({ logging, shutdown, historyReader, ...parts }: PartsOf<typeof PARTS>): Sockets {
  const log = logging.for('service::gateway');
  const sockets = new Sockets({
    ...parts,
    historyReader: historyReader ?? null,
    log,
  });
  shutdown.onShutdown('leave', 'heartbeats', () => sockets.stop());
  return sockets;
}

/** The WebSocket route. Needs the modules of the rooms it injects. */
@Module({
  imports: [HubModule],
  providers: [provider(SOCKETS, PARTS, openSockets), SocketsGateway],
  exports: [SOCKETS, SocketsGateway],
})
export class SocketsModule {}
