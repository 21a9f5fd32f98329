import { APP_MANAGER_DRIVERS, AppRegistryModule } from '@carillon/app-registry';
import { CACHE, CACHE_DRIVERS, CacheModule } from '@carillon/cache';
import { namespaceName } from '@carillon/channels';
import { CHANNEL_READS, COMMIT_CLIENT, CommitModule, WriterModule } from '@carillon/commit';
import { FABRIC, FABRIC_DRIVERS, FabricModule } from '@carillon/fabric';
import { HISTORY_COMMITS, HistoryModule } from '@carillon/history';
import { HISTORY_BACKENDS, HistoryStoreModule, PurgeModule } from '@carillon/history-store';
import { HttpApiModule } from '@carillon/http-api';
import { OperationsModule } from '@carillon/operations';
import { OpsApiModule } from '@carillon/ops-api';
import { PresenceModule } from '@carillon/presence';
import { PublishingModule } from '@carillon/publishing';
import { QUEUE_DRIVERS, QueueModule } from '@carillon/queue';
import { RATE_LIMITER_DRIVERS, RateLimitModule } from '@carillon/rate-limit';
import { bootstrap } from '@carillon/runtime';
import { SocketsModule } from '@carillon/sockets';
import { WebhookDeliveryModule, WebhookEventsModule } from '@carillon/webhooks';

await bootstrap({
  process: 'server',
  drivers: {
    'adapter.driver': FABRIC_DRIVERS,
    'app_manager.driver': APP_MANAGER_DRIVERS,
    'cache.driver': CACHE_DRIVERS,
    'history.backend': HISTORY_BACKENDS,
    'queue.driver': QUEUE_DRIVERS,
    'rate_limiter.driver': RATE_LIMITER_DRIVERS,
  },
  modules: (config) => [
    AppRegistryModule.sharing(CACHE, FABRIC),
    CacheModule,
    RateLimitModule,
    FabricModule,
    PresenceModule,
    HistoryStoreModule,
    // Beside others it is one writer of several; alone it needs nobody's lanes.
    ...(config.adapter.driver === 'local' ? [] : [WriterModule]),
    PurgeModule,
    CommitModule,
    HistoryModule.over({ reads: CHANNEL_READS, commits: COMMIT_CLIENT }),
    PublishingModule.committing(HISTORY_COMMITS),
    QueueModule,
    ...(config.workers.webhooks ? [WebhookDeliveryModule.with(namespaceName)] : []),
    WebhookEventsModule,
    SocketsModule,
    OperationsModule.of(config),
    HttpApiModule.forMainListener(config),
    OpsApiModule.forMainListener(config),
  ],
});
