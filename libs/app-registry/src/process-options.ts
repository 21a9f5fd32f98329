import type { Config } from '@carillon/config';
import type { AppRegistryOptions } from './options.js';

/** Who hears of no changes must not remember an app for longer. */
const UNTOLD_AGE_SECONDS = 1;

/**
 * What a process makes of its settings. `hasOthers`: it has a way to the other nodes, which workers and history-writers
 * have not; api nodes have one, tell by it, and hear nothing.
 */
export function optionsOf(config: Config, hasOthers: boolean): AppRegistryOptions {
  const { array, register_inline_apps, cache } = config.app_manager;
  const isTold = hasOthers && config.server_role !== 'api';
  return {
    inlineApps: array.apps,
    registerInlineApps: register_inline_apps,
    cache,
    globals: config,
    ...(isTold ? {} : { maxIndexAgeSeconds: UNTOLD_AGE_SECONDS }),
  };
}
