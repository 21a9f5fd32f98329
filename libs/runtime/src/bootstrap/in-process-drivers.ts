import type { AvailableDrivers } from '@carillon/config';

/** What every build can do without a client library; a port's own room adds its other drivers. */
export const IN_PROCESS_DRIVERS: AvailableDrivers = {
  'adapter.driver': ['local'],
  'cache.driver': ['memory', 'none'],
  'history.backend': ['memory'],
  'push.queue_driver': ['memory'],
  'push.storage_driver': ['memory'],
  'queue.driver': ['memory', 'none'],
  'rate_limiter.driver': ['memory', 'none'],
  'versioned_messages.driver': ['memory'],
};
