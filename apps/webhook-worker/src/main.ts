import { APP_MANAGER_DRIVERS, AppRegistryModule } from '@carillon/app-registry';
import { namespaceName } from '@carillon/channels';
import { OpsApiModule } from '@carillon/api-ops';
import { QUEUE_DRIVERS, QueueModule } from '@carillon/queue';
import { bootstrap } from '@carillon/runtime';
import { WEBHOOK_TRANSPORT, WebhookDeliveryModule } from '@carillon/webhooks';

await bootstrap({
  process: 'webhook-worker',
  drivers: { 'app_manager.driver': APP_MANAGER_DRIVERS, 'queue.driver': QUEUE_DRIVERS },
  modules: (config) => [
    AppRegistryModule,
    QueueModule.forWorker(),
    WebhookDeliveryModule.with(namespaceName),
    OpsApiModule.forWorker(config),
  ],
  transports: () => [WEBHOOK_TRANSPORT],
});
