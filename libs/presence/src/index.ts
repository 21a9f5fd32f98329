export {
  type ChannelCount,
  type ChannelCountChange,
  type ChannelCountObserver,
  type ChannelCounts,
} from './channel-counts.js';
export { type PresenceClock } from './clock.js';
export { type ConnectionQuota } from './connection-quota.js';
export { MemoryPresence, type MemoryPresenceOptions } from './drivers/memory/memory-presence.js';
export { PresenceUnavailable } from './failures.js';
export { CHANNEL_COUNTS, CONNECTION_QUOTA, PRESENCE, PresenceModule } from './module.js';
export { ONLINE_USERS } from './online-users.js';
export {
  type JoinOutcome,
  type LeaveCause,
  type Member,
  type Owed,
  type OwedChange,
  type Owing,
  type Presence,
  type PresenceChange,
  type PresenceObserver,
  type PresencePlace,
  type PresenceView,
  type Presentation,
} from './port.js';
