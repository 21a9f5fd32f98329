import { APP_MANAGER_DRIVERS, AppRegistryModule } from '@carillon/app-registry';
import { WriterModule } from '@carillon/history-writer';
import { BROKER_DRIVERS, BrokerModule } from '@carillon/broker';
import { NodeStateModule } from '@carillon/fleet-state';
import { HISTORY_BACKENDS, HistoryStoreModule, PurgeModule } from '@carillon/history-store';
import { OpsApiModule } from '@carillon/api-ops';
import { QUEUE_DRIVERS, QueueModule } from '@carillon/queue';
import { bootstrap } from '@carillon/runtime';
import { WebhookEventsModule } from '@carillon/webhooks';

await bootstrap({
  process: 'history-writer',
  drivers: {
    'adapter.driver': BROKER_DRIVERS,
    'app_manager.driver': APP_MANAGER_DRIVERS,
    'history.backend': HISTORY_BACKENDS,
    'queue.driver': QUEUE_DRIVERS,
  },
  modules: (config) => [
    BrokerModule,
    NodeStateModule.of('history-writer'),
    HistoryStoreModule,
    // A writer has nothing to tell but that it ended the stream of an answer: else it needs neither apps nor a queue.
    ...(config.ai_transport.enabled ? [AppRegistryModule, QueueModule, WebhookEventsModule] : []),
    WriterModule,
    PurgeModule,
    OpsApiModule.forWorker(config),
  ],
});
