import { APP_MANAGER_DRIVERS, AppRegistryModule } from '@carillon/app-registry';
import { CACHE, CACHE_DRIVERS, CacheModule } from '@carillon/cache';
import { CompatModule } from '@carillon/ably-realtime';
import { CompatApiModule } from '@carillon/ably-rest';
import { CHANNEL_READS, COMMIT_CLIENT, CommitModule } from '@carillon/history-writer';
import { BROKER, BROKER_DRIVERS, BrokerModule } from '@carillon/broker';
import { GatewayStateModule, NodeStateModule } from '@carillon/fleet-state';
import { HISTORY_COMMITS, HistoryModule } from '@carillon/history-reader';
import { HISTORY_BACKENDS, HistoryStoreModule, PurgeModule } from '@carillon/history-store';
import { HttpApiModule } from '@carillon/api-http';
import { McpModule } from '@carillon/mcp';
import { OperationsModule } from '@carillon/api-operations';
import { OpsApiModule } from '@carillon/api-ops';
import { PresenceModule } from '@carillon/presence';
import { PublishingModule } from '@carillon/history-publish';
import { PushQueueModule, QUEUE_DRIVERS, QueueModule } from '@carillon/queue';
import { PushModule } from '@carillon/push-core';
import { PushApiModule } from '@carillon/push-api';
import { PUSH_STORES, PushStoreModule } from '@carillon/push-store';
import { RATE_LIMITER_DRIVERS, RateLimitModule } from '@carillon/rate-limit';
import { ReplayModule } from '@carillon/history-positions';
import type { AppDefinition } from '@carillon/runtime';
import { SocketsModule } from '@carillon/sockets';
import { StreamsModule } from '@carillon/streams';
import { WebhookEventsModule } from '@carillon/webhooks';

/** The gateway: sockets, and the signed HTTP API with the routes about them. */
export const gateway: AppDefinition = {
  process: 'gateway',
  drivers: {
    'adapter.driver': BROKER_DRIVERS,
    'app_manager.driver': APP_MANAGER_DRIVERS,
    'cache.driver': CACHE_DRIVERS,
    'history.backend': HISTORY_BACKENDS,
    'queue.driver': QUEUE_DRIVERS,
    'push.queue_driver': QUEUE_DRIVERS,
    'push.storage_driver': PUSH_STORES,
    'rate_limiter.driver': RATE_LIMITER_DRIVERS,
  },
  modules: (config) => [
    AppRegistryModule.sharing(CACHE, BROKER),
    CacheModule,
    RateLimitModule,
    BrokerModule,
    NodeStateModule.of('gateway'),
    PresenceModule,
    // Without others it is its own writer.
    ...(config.adapter.driver === 'local' ? [HistoryStoreModule, PurgeModule] : []),
    CommitModule,
    HistoryModule.over({ reads: CHANNEL_READS, commits: COMMIT_CLIENT }),
    ReplayModule,
    PublishingModule.committing(HISTORY_COMMITS),
    QueueModule,
    WebhookEventsModule,
    SocketsModule,
    StreamsModule,
    GatewayStateModule,
    OperationsModule.of(config),
    PushQueueModule,
    PushStoreModule,
    PushModule.offering([]),
    PushApiModule,
    HttpApiModule.forMainListener(config),
    ...McpModule.where(config),
    ...CompatModule.of(config),
    ...CompatApiModule.of(config),
    OpsApiModule.forMainListener(config),
  ],
};
