import { api } from '@carillon/app-api';
import { APP_MANAGER_DRIVERS, AppRegistryModule } from '@carillon/app-registry';
import { CACHE, CACHE_DRIVERS, CacheModule } from '@carillon/cache';
import { namespaceName } from '@carillon/channels';
import { CompatModule } from '@carillon/ably-realtime';
import { CompatApiModule } from '@carillon/ably-rest';
import { CHANNEL_READS, COMMIT_CLIENT, CommitModule, WriterModule } from '@carillon/history-writer';
import { BROKER, BROKER_DRIVERS, BrokerModule } from '@carillon/broker';
import { GatewayStateModule, NodeStateModule } from '@carillon/fleet-state';
import { HISTORY_COMMITS, HistoryModule } from '@carillon/history-reader';
import { HISTORY_BACKENDS, HistoryStoreModule, PurgeModule } from '@carillon/history-store';
import { HttpApiModule } from '@carillon/api-http';
import { IngestModule } from '@carillon/ingest-core';
import { ManagementModule } from '@carillon/management';
import { McpModule } from '@carillon/mcp';
import { OperationsModule } from '@carillon/api-operations';
import { OpsApiModule } from '@carillon/api-ops';
import { PresenceModule } from '@carillon/presence';
import { PublishingModule } from '@carillon/history-publish';
import { PushQueueModule, QUEUE_DRIVERS, QueueModule } from '@carillon/queue';
import { PUSH_TRANSPORT, PushModule, WORKER_STAGES } from '@carillon/push-core';
import { PushApiModule } from '@carillon/push-api';
import { PUSH_STORES, PushStoreModule } from '@carillon/push-store';
import { RATE_LIMITER_DRIVERS, RateLimitModule } from '@carillon/rate-limit';
import { ReplayModule } from '@carillon/history-positions';
import { type AppDefinition, bootstrap } from '@carillon/runtime';
import { SocketsModule } from '@carillon/sockets';
import { StreamsModule } from '@carillon/streams';
import { WEBHOOK_TRANSPORT, WebhookDeliveryModule, WebhookEventsModule } from '@carillon/webhooks';

/** Every part of the service in one process. */
const everything: AppDefinition = {
  process: 'server',
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
    NodeStateModule.of('server'),
    PresenceModule,
    HistoryStoreModule,
    // Beside others it is one writer of several; alone it needs nobody's lanes.
    ...(config.adapter.driver === 'local' ? [] : [WriterModule]),
    PurgeModule,
    CommitModule,
    HistoryModule.over({ reads: CHANNEL_READS, commits: COMMIT_CLIENT }),
    ReplayModule,
    PublishingModule.committing(HISTORY_COMMITS),
    QueueModule,
    ...(config.workers.webhooks ? [WebhookDeliveryModule.with(namespaceName)] : []),
    WebhookEventsModule,
    SocketsModule,
    StreamsModule,
    GatewayStateModule,
    OperationsModule.of(config),
    PushQueueModule,
    PushStoreModule,
    PushModule.offering(WORKER_STAGES),
    PushApiModule,
    ...(config.workers.ingest && config.ingest.sources.length > 0 ? [IngestModule] : []),
    HttpApiModule.forMainListener(config),
    ...McpModule.where(config),
    ...ManagementModule.of(config),
    ...CompatModule.of(config),
    ...CompatApiModule.of(config),
    OpsApiModule.forMainListener(config),
  ],
  transports: (config) => [PUSH_TRANSPORT, ...(config.workers.webhooks ? [WEBHOOK_TRANSPORT] : [])],
};

type Role = Parameters<AppDefinition['modules']>[0]['server_role'];

const appOf = (role: Role): AppDefinition => (role === 'api' ? api : everything);

await bootstrap({
  ...everything,
  modules: (config) => appOf(config.server_role).modules(config),
  transports: (config) => appOf(config.server_role).transports?.(config) ?? [],
});
