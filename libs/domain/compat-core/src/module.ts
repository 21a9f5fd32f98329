import { APP_REGISTRY, type AppRegistry } from '@carillon/app-registry';
import { CACHE, type Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { PUBLISHER, type Publisher } from '@carillon/publishing';
import { CONFIG } from '@carillon/runtime';
import { Module } from '@nestjs/common';
import { CompatCore } from './core.js';

/** Token of the `CompatCore`. */
export const COMPAT_CORE = Symbol('compat core');

const open = (config: Config, apps: AppRegistry, cache: Cache, publisher: Publisher): CompatCore =>
  new CompatCore({ config, apps, cache, publisher });

/** Needs the modules of the app registry, the cache and publishing. */
@Module({
  providers: [{ provide: COMPAT_CORE, inject: [CONFIG, APP_REGISTRY, CACHE, PUBLISHER], useFactory: open }],
  exports: [COMPAT_CORE],
})
export class CompatCoreModule {}
