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
export {
  type ClaimFilter,
  type CountStore,
  type DeviceCount,
  type DeviceFilter,
  PURGE_CATEGORIES,
  type PurgeCategory,
  type PushStore,
  PushStoreUnavailable,
  type SubscriptionFilter,
} from './port.js';
export { CannotOpen, isSealed, type Place, Sealer } from './sealing.js';
