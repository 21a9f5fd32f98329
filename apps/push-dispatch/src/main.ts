import { OpsApiModule } from '@carillon/api-ops';
import { PUSH_TRANSPORT, PushModule, STAGES_OF_DISPATCH } from '@carillon/push-core';
import { PUSH_STORES, PushStoreModule } from '@carillon/push-store';
import { PushQueueModule, QUEUE_DRIVERS } from '@carillon/queue';
import { RATE_LIMITER_DRIVERS, RateLimitModule } from '@carillon/rate-limit';
import { bootstrap } from '@carillon/runtime';

await bootstrap({
  process: 'push-dispatch',
  drivers: {
    'push.queue_driver': QUEUE_DRIVERS,
    'push.storage_driver': PUSH_STORES,
    'rate_limiter.driver': RATE_LIMITER_DRIVERS,
  },
  modules: (config) => [
    PushQueueModule.forWorker(),
    PushStoreModule.forWorker(),
    RateLimitModule,
    PushModule.offering(STAGES_OF_DISPATCH),
    OpsApiModule.forWorker(config),
  ],
  transports: () => [PUSH_TRANSPORT],
});
