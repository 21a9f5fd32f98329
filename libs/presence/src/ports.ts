import type { ChannelCounts } from './channel-counts.js';
import type { ConnectionQuota } from './connection-quota.js';
import type { Presence } from './port.js';

/** Presence, channel counts and quotas over one store. */
export interface PresencePorts {
  readonly presence: Presence;
  readonly channelCounts: ChannelCounts;
  readonly connectionQuota: ConnectionQuota;
  /** Connects to the store; null: there is none. */
  readonly connect: (() => Promise<void>) | null;
}
