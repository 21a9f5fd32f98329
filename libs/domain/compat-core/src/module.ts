import { APP_REGISTRY, type AppRegistry } from '@carillon/app-registry';
import { CACHE, type Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { MESSAGE_READER, type MessageReader } from '@carillon/history';
import { OPERATIONS, type Operations } from '@carillon/operations';
import { PUBLISHER, type Publisher } from '@carillon/publishing';
import { PUSH, type PushService } from '@carillon/push';
import { CONFIG, RELOADS, type Reloads, SHUTDOWN, type Shutdown } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { CompatCore } from './core.js';

/** Token of the `CompatCore`. */
export const COMPAT_CORE = Symbol('compat core');

const open = (
  config: Config,
  apps: AppRegistry,
  cache: Cache,
  publisher: Publisher,
  operations: Operations,
  shutdown: Shutdown,
  reloads: Reloads,
  messages?: MessageReader,
  push?: PushService,
): CompatCore => {
  const core = new CompatCore({
    config,
    apps,
    cache,
    publisher,
    operations,
    messages: messages ?? null,
    triggers: push?.triggers() ?? null,
  });
  // Once more for requests that end while others are flushed.
  for (const phase of ['flush', 'leave'] as const)
    shutdown.onShutdown(phase, 'compat statistics', () => core.statistics.stop());
  reloads.onReload('compat.keys', ({ compat }) => core.keys.replace(compat.keys));
  return core;
};

/** Needs the modules of the app registry, the cache, publishing and operations; knows messages that live on where there are readers of them, and pushes where push is there. */
@Module({
  providers: [
    {
      provide: COMPAT_CORE,
      inject: [
        CONFIG,
        APP_REGISTRY,
        CACHE,
        PUBLISHER,
        OPERATIONS,
        SHUTDOWN,
        RELOADS,
        { token: MESSAGE_READER, optional: true },
        { token: PUSH, optional: true },
      ],
      useFactory: open,
    },
  ],
  exports: [COMPAT_CORE],
})
export class CompatCoreModule {}
