import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { openAppStore } from './drivers.js';
import type { AnnounceAppChange, AppRegistryOptions, RegistryLog } from './options.js';
import { AppRegistry } from './registry.js';
import type { SharedAppCache } from './shared-app-cache.js';

/** Token of the `AppRegistry`. */
export const APP_REGISTRY = Symbol('APP_REGISTRY');
/** Token of the `SharedAppCache`; without a provider there is none. */
export const SHARED_APP_CACHE = Symbol('SHARED_APP_CACHE');
/** Token of the `AnnounceAppChange`; without a provider nobody else is told. */
export const ANNOUNCE_APP_CHANGE = Symbol('ANNOUNCE_APP_CHANGE');
/** Token of the `RegistryLog`; without a provider nothing is said. */
export const APP_REGISTRY_LOG = Symbol('APP_REGISTRY_LOG');

export interface AppRegistryModuleOptions extends AppRegistryOptions {
  /** `app_manager.driver`. */
  readonly driver: string;
  /** Modules that provide the optional tokens, unless they are global. */
  readonly imports?: ModuleMetadata['imports'];
}

const optional = (token: symbol) => ({ token, optional: true });

/**
 * Provides the registry over the configured driver, to the whole process. Starting and closing it is left to whoever
 * orders the start and the stop of the process.
 */
@Module({})
export class AppRegistryModule {
  static forRoot({ driver, imports = [], ...options }: AppRegistryModuleOptions): DynamicModule {
    return {
      module: AppRegistryModule,
      global: true,
      imports,
      providers: [
        {
          provide: APP_REGISTRY,
          inject: [SHARED_APP_CACHE, ANNOUNCE_APP_CHANGE, APP_REGISTRY_LOG].map(optional),
          useFactory: async (cache?: SharedAppCache, announce?: AnnounceAppChange, log?: RegistryLog) =>
            new AppRegistry(options, { store: await openAppStore(driver), cache, announce, log }),
        },
      ],
      exports: [APP_REGISTRY],
    };
  }
}
