import { APP_MANAGER_DRIVERS, AppRegistryModule } from '@carillon/app-registry';
import { CACHE, CACHE_DRIVERS, CacheModule } from '@carillon/cache';
import { CompatApiModule } from '@carillon/ably-rest';
import { CHANNEL_READS, COMMIT_CLIENT, CommitModule } from '@carillon/history-writer';
import { BROKER, BROKER_DRIVERS, BrokerModule } from '@carillon/broker';
import { NodeStateModule } from '@carillon/fleet-state';
import { HISTORY_COMMITS, HistoryModule } from '@carillon/history-reader';
import { HISTORY_BACKENDS, HistoryStoreModule } from '@carillon/history-store';
import { HttpApiModule } from '@carillon/api-http';
import { ManagementModule } from '@carillon/management';
import { McpModule } from '@carillon/mcp';
import { OperationsModule } from '@carillon/api-operations';
import { OpsApiModule } from '@carillon/api-ops';
import { PublishingModule } from '@carillon/history-publish';
import { PushQueueModule, QUEUE_DRIVERS, QueueModule } from '@carillon/queue';
import { PUSH_TRANSPORT, PushModule, STAGES_OF_PUBLISHING } from '@carillon/push-core';
import { PushApiModule } from '@carillon/push-api';
import { PUSH_STORES, PushStoreModule } from '@carillon/push-store';
import { RATE_LIMITER_DRIVERS, RateLimitModule } from '@carillon/rate-limit';
import { ReplayModule } from '@carillon/history-positions';
import type { AppDefinition } from '@carillon/runtime';
import { WebhookEventsModule } from '@carillon/webhooks';

/** The signed HTTP API of a process without sockets. */
export const api: AppDefinition = {
  process: 'api',
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
    NodeStateModule.of('api'),
    HistoryStoreModule,
    CommitModule,
    HistoryModule.over({ reads: CHANNEL_READS, commits: COMMIT_CLIENT }),
    ReplayModule,
    PublishingModule.committing(HISTORY_COMMITS),
    QueueModule,
    WebhookEventsModule,
    OperationsModule.of(config),
    PushQueueModule,
    PushStoreModule,
    PushModule.offering(config.compat.enabled ? STAGES_OF_PUBLISHING : []),
    PushApiModule,
    HttpApiModule.forMainListener(config),
    ...McpModule.where(config),
    ...ManagementModule.of(config),
    ...CompatApiModule.of(config),
    OpsApiModule.forMainListener(config),
  ],
  // Pushes to devices whose address is a channel are published here.
  transports: (config) => (config.compat.enabled ? [PUSH_TRANSPORT] : []),
};
