import { APP_REGISTRY } from '@carillon/app-registry';
import { CACHE } from '@carillon/cache';
import { queueNames } from '@carillon/contracts';
import { QUEUE, QueueTransport } from '@carillon/queue';
import { optional, type PartsOf, provider, RUNTIME, token } from '@carillon/runtime';
import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Delivery, HELD_JOBS } from './delivery/delivery.js';
import { LastAnswers } from './delivery/last-answers.js';
import { DeliveryController } from './delivery/delivery.controller.js';
import { WEBHOOK_DELIVERY, WEBHOOK_TRANSPORT } from './delivery/tokens.js';
import type { NamespaceOf } from './delivery/entry-filter.js';
import { HttpTarget } from './target/http-target.js';
import { LambdaTarget } from './target/lambda-target.js';

const NAMESPACE_OF = token<NamespaceOf>('namespace of a channel');

const PART = 'webhook targets';

const PARTS = {
  ...RUNTIME,
  queue: QUEUE,
  apps: APP_REGISTRY,
  namespaceOf: NAMESPACE_OF,
  cache: optional(CACHE),
};

function openDelivery(parts: PartsOf<typeof PARTS>): Delivery {
  const { config, logging, metrics, shutdown, queue, apps, namespaceOf, cache } = parts;
  const { webhooks: settings } = config;
  const http = new HttpTarget({ allowPrivate: settings.allow_private_targets });
  const lambda = new LambdaTarget();
  const log = logging.for('service::webhook');
  const delivery = new Delivery({
    queue,
    apps,
    settings,
    namespaceOf,
    http,
    lambda,
    metrics,
    log,
    ...(cache === undefined ? {} : { answers: new LastAnswers(cache) }),
  });
  shutdown.onShutdown('disconnect', PART, () => {
    http.close();
    lambda.close();
  });
  return delivery;
}

/** Delivers webhooks in this process, from any producer. Needs the modules of the packages it injects. */
@Global()
@Module({})
export class WebhookDeliveryModule {
  /** `namespaceOf` resolves the namespace for filters. */
  static with(namespaceOf: NamespaceOf): DynamicModule {
    return {
      module: WebhookDeliveryModule,
      controllers: [DeliveryController],
      providers: [
        provider(
          WEBHOOK_TRANSPORT,
          { queue: QUEUE },
          ({ queue }) =>
            new QueueTransport(WEBHOOK_TRANSPORT, queue, () => ({
              queues: [queueNames.webhooks],
              concurrency: HELD_JOBS,
              prefetch: HELD_JOBS,
            })),
        ),
        { provide: NAMESPACE_OF, useValue: namespaceOf },
        provider(WEBHOOK_DELIVERY, PARTS, openDelivery),
      ],
      exports: [WEBHOOK_DELIVERY, WEBHOOK_TRANSPORT],
    };
  }
}
