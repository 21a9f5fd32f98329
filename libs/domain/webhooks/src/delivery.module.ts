import { APP_REGISTRY, type AppRegistry } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import { queueNames } from '@carillon/contract';
import { QUEUE, type Queue, QueueTransport } from '@carillon/queue';
import {
  CONFIG,
  LOGGING,
  METRICS_REGISTRY,
  SHUTDOWN,
  type Logging,
  type Metrics,
  type Shutdown,
} from '@carillon/runtime';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Delivery, HELD_JOBS } from './delivery/delivery.js';
import { DeliveryController } from './delivery/delivery.controller.js';
import { WEBHOOK_DELIVERY, WEBHOOK_TRANSPORT } from './delivery/tokens.js';
import type { NamespaceOf } from './delivery/entry-filter.js';
import { HttpTarget } from './target/http-target.js';
import { LambdaTarget } from './target/lambda-target.js';

const NAMESPACE_OF = Symbol('namespace of a channel');

const PART = 'webhook targets';

function openDelivery(
  config: Config,
  logging: Logging,
  metrics: Metrics,
  shutdown: Shutdown,
  queue: Queue,
  apps: AppRegistry,
  namespaceOf: NamespaceOf,
): Delivery {
  const { webhooks: settings } = config;
  const http = new HttpTarget({ allowPrivate: settings.allow_private_targets });
  const lambda = new LambdaTarget();
  const log = logging.for('service::webhook');
  const delivery = new Delivery({ queue, apps, settings, namespaceOf, http, lambda, metrics, log });
  shutdown.onShutdown('disconnect', PART, () => {
    http.close();
    lambda.close();
  });
  return delivery;
}

/** Delivers webhooks in this process, whoever tells them. Needs the modules of the rooms it injects. */
@Global()
@Module({})
export class WebhookDeliveryModule {
  /** `namespaceOf` says what filters by namespace look at. */
  static with(namespaceOf: NamespaceOf): DynamicModule {
    return {
      module: WebhookDeliveryModule,
      controllers: [DeliveryController],
      providers: [
        {
          provide: WEBHOOK_TRANSPORT,
          inject: [QUEUE],
          useFactory: (queue: Queue) =>
            new QueueTransport(WEBHOOK_TRANSPORT, queue, () => ({
              queues: [queueNames.webhooks],
              concurrency: HELD_JOBS,
              prefetch: HELD_JOBS,
            })),
        },
        { provide: NAMESPACE_OF, useValue: namespaceOf },
        {
          provide: WEBHOOK_DELIVERY,
          inject: [CONFIG, LOGGING, METRICS_REGISTRY, SHUTDOWN, QUEUE, APP_REGISTRY, NAMESPACE_OF],
          useFactory: openDelivery,
        },
      ],
      exports: [WEBHOOK_DELIVERY, WEBHOOK_TRANSPORT],
    };
  }
}
