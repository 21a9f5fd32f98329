export { type Accepted, Admit, type Prepared } from './admission/admit.js';
export { acceptedShape, statusShape } from './admission/shapes.js';
export type { RequestRules } from './admission/request.js';
export { invalid } from './fields.js';
export { canonicalJson, sha256 } from './hash.js';
export { consumedBy, PushModule } from './module.js';
export type { PushParts } from './parts.js';
export { credentialItem, credentialShape, putCredential } from './resources/credentials.js';
export { deviceShape, subscriptionShape } from './resources/device-shape.js';
export type { Caller } from './resources/devices.js';
export { readTemplate, templateShape } from './resources/templates.js';
export { PUSH_ROUTES, type PushRoute, type PushRouteName } from './routes.js';
export { Secrets } from './secrets.js';
export { deadLetterShape, type PublishOptions, PushService } from './service.js';
export {
  STAGES_OF_DISPATCH,
  STAGES_OF_FEEDBACK,
  STAGES_OF_PLANNER,
  WORKER_STAGES,
  type WorkerStage,
} from './stages.js';
export { PUSH, PUSH_PROVIDERS_TOKEN, PUSH_TRANSPORT, PUSH_WORKER } from './tokens.js';
export { type PreparedExtras, type PublishedEvent, Triggers } from './triggers/triggers.js';
export { PushWorker } from './worker.js';
