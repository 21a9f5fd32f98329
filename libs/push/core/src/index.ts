export { type Accepted } from './admission/admit.js';
export type { Prepared } from './admission/prepare.js';
export { invalid } from './fields.js';
export { PushModule } from './module.js';
export type { PushParts } from './parts.js';
export { type PushInput } from './operations/ask.js';
export { PushOperations } from './operations/push-operations.js';
export type { PushDone } from './operations/work.js';
export type { Caller } from './resources/devices.js';
export { clientScope } from './resources/subscriptions.js';
export { PUSH_ANSWERS, PUSH_ROUTES, type PushRoute, type PushRouteName } from './routes.js';
export { type PublishOptions, PushService } from './service.js';
export {
  STAGES_OF_DISPATCH,
  STAGES_OF_FEEDBACK,
  STAGES_OF_PLANNER,
  STAGES_OF_PUBLISHING,
  WORKER_STAGES,
  type WorkerStage,
} from './stages.js';
export { type ChannelDelivery, type ChannelMessage, ChannelRefused } from './channels.js';
export {
  PUSH,
  PUSH_CHANNELS,
  PUSH_OPERATIONS,
  PUSH_PROVIDERS_TOKEN,
  PUSH_TRANSPORT,
  PUSH_WORKER,
} from './tokens.js';
export { type PreparedExtras, type PublishedEvent, Triggers } from './triggers/triggers.js';
export { PushWorker } from './worker.js';
