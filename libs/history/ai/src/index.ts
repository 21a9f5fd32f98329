export { AiChannels, type AiLimits } from './channels.js';
export { AI_EVENTS, type AiEvent, isAiEvent } from './events.js';
export {
  checkHeaders,
  checkIdentity,
  headerLimits,
  type HeaderLimits,
  type HeaderRefusal,
} from './headers.js';
export { lifecycleOf, type LifecycleWebhook } from './lifecycle.js';
export { AiMeters } from './meters.js';
export { ORPHANED, orphanedExtras } from './orphan.js';
export { Rollup, type Rolled, type RolledRecord, type RollupLimits } from './rollup.js';
export { endsStream, isOver, streamStatus, type StreamStatus } from './status.js';
