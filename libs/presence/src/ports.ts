import type { ChannelCounts } from './channel-counts.js';
import type { ConnectionQuota } from './connection-quota.js';
import type { Presence } from './port.js';

/** Who and how many are there, as one store tells it. */
export interface PresencePorts {
  readonly presence: Presence;
  readonly channelCounts: ChannelCounts;
  readonly connectionQuota: ConnectionQuota;
  /** Reaches the store; null: there is none. */
  readonly connect: (() => Promise<void>) | null;
}
