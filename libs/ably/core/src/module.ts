import { APP_REGISTRY } from '@carillon/app-registry';
import { CACHE } from '@carillon/cache';
import { MESSAGE_READER } from '@carillon/history-reader';
import { OPERATIONS } from '@carillon/api-operations';
import { PUBLISHER } from '@carillon/history-publish';
import { PUSH } from '@carillon/push-core';
import { optional, type PartsOf, provider, RUNTIME, token } from '@carillon/runtime';
import { WEBHOOK_EVENTS } from '@carillon/webhooks';
import { Module } from '@nestjs/common';
import { CompatCore } from './core.js';

export const COMPAT_CORE = token<CompatCore>('compat core');

const PARTS = {
  ...RUNTIME,
  apps: APP_REGISTRY,
  cache: CACHE,
  publisher: PUBLISHER,
  operations: OPERATIONS,
  webhooks: WEBHOOK_EVENTS,
  messages: optional(MESSAGE_READER),
  push: optional(PUSH),
};

const open = (parts: PartsOf<typeof PARTS>): CompatCore => {
  const { config, apps, cache, publisher, operations, webhooks, metrics, messages, push } = parts;
  const { logging, shutdown, reloads } = parts;
  const core = new CompatCore({
    config,
    apps,
    cache,
    publisher,
    operations,
    messages: messages ?? null,
    triggers: push?.triggers() ?? null,
    webhooks,
    metrics,
    log: logging.for('service::compat'),
  });
  // Once more for requests that end while others are flushed.
  for (const phase of ['flush', 'leave'] as const)
    shutdown.onShutdown(phase, 'compat statistics', () => core.statistics.stop());
  reloads.onReload('compat.keys', ({ compat }) => core.keys.replace(compat.keys));
  return core;
};

/**
 * Requires the modules of the app registry, the cache, publishing and operations. Mutable messages and push are
 * available if their providers are.
 */
@Module({
  providers: [provider(COMPAT_CORE, PARTS, open)],
  exports: [COMPAT_CORE],
})
export class CompatCoreModule {}
