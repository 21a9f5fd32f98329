export { type QueueCapabilities, type QueueLimits } from './capabilities.js';
export { QueueClient } from './client.js';
export { openQueue, QUEUE_DRIVERS } from './drivers.js';
export {
  BatchIncomplete,
  CannotConsume,
  HandlerExists,
  InvalidJob,
  JobConflict,
  QueueFull,
  QueueOptionUnsupported,
  QueueStopped,
  QueueUnavailable,
} from './failures.js';
export { PUSH_QUEUE, PushQueueModule, QUEUE, QueueModule } from './module.js';
export { type QueueObserver, type QueueParts, type Reliability } from './options.js';
export {
  type DeadLetter,
  type FailureReason,
  type Job,
  type JobEvent,
  type JobHandler,
  type JobOptions,
  type NewJob,
  type ProcessOptions,
  type Queue,
  type QueueStats,
} from './port.js';
export { deadLetter, defer, type Settlement } from './settlement.js';
export { type Consumed, QueueTransport } from './transport.js';
export {
  type Claim,
  type ClaimedJob,
  type JobStore,
  type Outcome,
  type PreparedJob,
  type Returned,
  type Settled,
} from './job-store.js';
export { retryDelayMs, type RetrySettings } from './retry-delay.js';
export { StoreQueue, type StoreQueueOptions } from './store-queue.js';
