import { DATABASES, DatabaseModule, type Databases, isTooOld } from '@carillon/database';
import { optional, provider, RUNTIME, type RuntimeParts, type Token, token } from '@carillon/runtime';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { openAppStore } from './drivers.js';
import { AppConflict, AppNotStorable } from './failures.js';
import type { AnnounceAppChange, AppChangeTeller } from './options.js';
import { optionsOf } from './process-options.js';
import { AppRegistry } from './registry.js';
import type { SharedAppCache } from './shared-app-cache.js';
import { sharedAppCache, type SharedStore } from './shared-store.js';

export const APP_REGISTRY = token<AppRegistry>('app registry');
/** Token of the `SharedAppCache`; without a provider there is no shared cache. */
const SHARED_APP_CACHE = token<SharedAppCache | undefined>('shared app cache');
/** Token of the `AnnounceAppChange`; without a provider no other node is notified. */
const ANNOUNCE_APP_CHANGE = token<AnnounceAppChange>('announce app change');

const PART = 'app manager';

interface Surroundings extends RuntimeParts {
  readonly databases: Databases;
  readonly cache: SharedAppCache | undefined;
  readonly announce: AnnounceAppChange | undefined;
}

/** A registry tied to the life of the process: connected at start, checked by `/up`, released at the stop. */
async function openRegistry(around: Surroundings): Promise<AppRegistry> {
  const { config, logging, metrics, startup, health, shutdown, databases, cache, announce } = around;
  const log = logging.for('service::app_manager');
  const registry = new AppRegistry(optionsOf(config, announce !== undefined), {
    store: await openAppStore(config.app_manager.driver, { config, databases }),
    cache,
    announce,
    log: (level, message, fields) => log[level](message, fields),
    onKnown: (appId) => metrics.known({ app_id: appId }),
  });
  startup.needs({
    name: PART,
    connect: () => registry.start(),
    isFinal: (error) => error instanceof AppConflict || error instanceof AppNotStorable || isTooOld(error),
  });
  health.register({ part: PART, severity: 'critical', check: () => registry.health() });
  shutdown.onShutdown('disconnect', PART, () => registry.close());
  return registry;
}

/** The registry over the configured store, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  imports: [DatabaseModule],
  providers: [
    provider(
      APP_REGISTRY,
      {
        ...RUNTIME,
        databases: DATABASES,
        cache: optional(SHARED_APP_CACHE),
        announce: optional(ANNOUNCE_APP_CHANGE),
      },
      openRegistry,
    ),
  ],
  exports: [APP_REGISTRY],
})
export class AppRegistryModule {
  /**
   * The same, beside other nodes: with the process's cache between the index and the store where nodes share it, and
   * with word to the others of every change. `cache` is the token of a `SharedStore`, such as `CACHE` of
   * `@carillon/cache`; `others` that of an `AppChangeTeller`, such as `BROKER` of `@carillon/broker`.
   */
  static sharing(cache: Token<SharedStore>, others: Token<AppChangeTeller>): DynamicModule {
    return {
      module: AppRegistryModule,
      providers: [
        provider(
          ANNOUNCE_APP_CHANGE,
          { teller: others },
          ({ teller }) =>
            async (appId) =>
              teller.tellAppChanged(appId),
        ),
        provider(SHARED_APP_CACHE, { ...RUNTIME, store: cache }, ({ config, store }) =>
          sharedAppCache(config.cache.driver, store),
        ),
      ],
    };
  }
}
