export {
  ACTIVE_STATES,
  type Admission,
  type Claim,
  type ClaimStep,
  type Counter,
  type Counters,
  type DeferredItem,
  type DeliveryEvent,
  type DeliveryOutcome,
  type DeliveryState,
  type IdempotencyRow,
  type PublishChange,
  type PublishLog,
  type PublishState,
  type ScheduledJob,
  type StoredDeadLetter,
  type StoredPublish,
  type StoredShard,
  type WorkerRow,
} from './model/publishes.js';
export {
  CLIENT_SCOPE,
  type DeviceState,
  type OperatorEvent,
  type StoredCredential,
  type StoredDevice,
  type StoredSubscription,
  type StoredTemplate,
  type Subscriber,
} from './model/resources.js';
export { MemoryPushStore } from './memory/memory-store.js';
export { PUSH_STORE, PushStoreModule, SEALER } from './module.js';
export { openSql, PUSH_STORES } from './open.js';
export { type PushStore, PushStoreUnavailable } from './port/port.js';
export { type ClaimFilter, type SendLease } from './port/publishes.js';
export { type DeviceFilter, type SubscriptionFilter } from './port/resources.js';
export { type CountStore, type DeviceCount, PURGE_CATEGORIES, type PurgeCategory } from './port/upkeep.js';
export { CannotOpen, deriveKey, type DerivedKey, isSealed, type Place, Sealer } from './sealing.js';
