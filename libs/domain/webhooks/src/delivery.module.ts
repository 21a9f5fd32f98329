import { APP_REGISTRY, type AppRegistry } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import { QUEUE, type Queue } from '@carillon/queue';
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
import { Delivery } from './delivery/delivery.js';
import type { NamespaceOf } from './delivery/entry-filter.js';
import { HttpTarget } from './target/http-target.js';
import { LambdaTarget } from './target/lambda-target.js';

/** Token of the `Delivery`; without a provider this process delivers nothing. */
export const WEBHOOK_DELIVERY = Symbol('webhook delivery');
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
  if (queue.capabilities.consume) delivery.start();
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
      providers: [
        { provide: NAMESPACE_OF, useValue: namespaceOf },
        {
          provide: WEBHOOK_DELIVERY,
          inject: [CONFIG, LOGGING, METRICS_REGISTRY, SHUTDOWN, QUEUE, APP_REGISTRY, NAMESPACE_OF],
          useFactory: openDelivery,
        },
      ],
      exports: [WEBHOOK_DELIVERY],
    };
  }
}
