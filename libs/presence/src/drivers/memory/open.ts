import type { Logger } from '@carillon/runtime';
import type { PresencePorts } from '../../ports.js';
import { MemoryChannelCounts, MemoryConnectionQuota } from './memory-counts.js';
import { MemoryPresence } from './memory-presence.js';

/** Opens presence over the connections of this process. */
export function openMemoryPorts(log: Logger): PresencePorts {
  return {
    presence: new MemoryPresence({
      onObserverFault: (error, { kind, appId }) =>
        log.error('a presence change was not handled', { error, kind, app_id: appId }),
    }),
    channelCounts: new MemoryChannelCounts((error, { kind, appId }) =>
      log.error('a change of subscriptions was not handled', { error, kind, app_id: appId }),
    ),
    connectionQuota: new MemoryConnectionQuota(),
    connect: null,
  };
}
