import { APP_REGISTRY } from '@carillon/app-registry';
import { CACHE } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { QUEUE, type Queue } from '@carillon/queue';
import { type Logger, optional, type PartsOf, provider, RUNTIME, token } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { CacheNotices } from './absence/cache-notices.js';
import { Batcher } from './batching/batcher.js';
import { WEBHOOK_DELIVERY } from './delivery/tokens.js';
import type { Delivery } from './delivery/delivery.js';
import { LiveWebhooks } from './live-webhooks.js';
import { workedOff } from './delivery/worked-off.js';
import { offWebhooks } from './off-webhooks.js';
import type { WebhookEvents } from './port.js';

export const WEBHOOK_EVENTS = token<WebhookEvents>('webhook events');

const PART = 'webhooks';

/**
 * Returns why webhooks cannot be sent; null: they can. Jobs of a process-local queue need a consumer in this process.
 */
function reasonForNone({ driver, capabilities }: Queue, delivery: Delivery | undefined): string | null {
  if (driver === 'none') return 'webhooks are off: queue.driver is none';
  if (!capabilities.durable && delivery === undefined) {
    return 'webhooks are off: queue.driver is memory, and this process does not deliver them';
  }
  return null;
}

function off(config: Config, log: Logger, reason: string): WebhookEvents {
  const say = (): void => log.warn(reason);
  const isAsked = config.app_manager.array.apps.some(({ policy }) => policy.webhooks.length > 0);
  if (!isAsked) return offWebhooks(say);
  say();
  return offWebhooks(() => {});
}

const PARTS = {
  ...RUNTIME,
  queue: QUEUE,
  apps: APP_REGISTRY,
  cache: optional(CACHE),
  delivery: optional(WEBHOOK_DELIVERY),
};

function openWebhookEvents(parts: PartsOf<typeof PARTS>): WebhookEvents {
  const { config, logging, metrics, shutdown, queue, apps, cache, delivery } = parts;
  const log = logging.for('service::webhook');
  const reason = reasonForNone(queue, delivery);
  if (reason !== null) return off(config, log, reason);
  const batcher = new Batcher({ batching: config.webhooks.batching, queue, metrics, log });
  const webhooks = new LiveWebhooks({
    batcher,
    apps,
    log,
    notices: cache === undefined || config.adapter.driver === 'local' ? null : new CacheNotices(cache),
  });
  shutdown.onShutdown(
    'flush',
    PART,
    async ({ signal }) => {
      await webhooks.flush(signal);
      webhooks.stop();
      if (!queue.capabilities.durable && delivery !== undefined) await workedOff(queue, delivery, signal);
    },
    { bound: 'queue' },
  );
  return webhooks;
}

/**
 * Emits webhooks of this process. Needs the modules of the packages it injects; the cache only if other processes
 * have sockets too, since only they share arrivals and departures.
 */
@Global()
@Module({
  providers: [provider(WEBHOOK_EVENTS, PARTS, openWebhookEvents)],
  exports: [WEBHOOK_EVENTS],
})
export class WebhookEventsModule {}
