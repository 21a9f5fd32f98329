import { valueAt } from '../kernel/walk.js';
import type { Config } from '../schema/index.js';
import { pushInUse, type Rule } from './rule.js';

const always = (): boolean => true;

/** Every setting that names a driver, with when that driver is really used. */
const DRIVER_SETTINGS: Readonly<Record<string, (config: Config) => boolean>> = {
  'adapter.driver': always,
  'app_manager.driver': always,
  'cache.driver': always,
  'queue.driver': always,
  // Off, it still counts the limits that apps have of their own.
  'rate_limiter.driver': always,
  'metrics.driver': ({ metrics }) => metrics.enabled,
  'history.backend': ({ history, presence_history, versioned_messages }) =>
    history.enabled || presence_history.enabled || versioned_messages.enabled,
  'versioned_messages.driver': ({ versioned_messages }) => versioned_messages.enabled,
  'push.storage_driver': pushInUse,
  'push.queue_driver': pushInUse,
};

/** X16: configured drivers must exist in this build. */
export const availableDrivers: Rule = {
  id: 'X16',
  severity: 'error',
  check: ({ config, drivers }) =>
    Object.entries(DRIVER_SETTINGS).flatMap(([path, inUse]) => {
      const available = drivers[path];
      const driver = valueAt(config, path) as string;
      if (available === undefined || available.includes(driver) || !inUse(config)) return [];
      return [{ path, message: `driver ${driver} is not available in this build` }];
    }),
};
