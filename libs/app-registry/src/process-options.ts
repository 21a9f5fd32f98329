import type { Config } from '@carillon/config';
import type { AppRegistryOptions } from './options.js';

/** The maximum age of an app in processes that receive no change messages. */
const UNTOLD_AGE_SECONDS = 1;

/**
 * Derives the registry options of a process from the configuration. `hasOthers`: it can send to the other nodes.
 * Workers and history-writers cannot; api nodes can send, but receive nothing.
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
