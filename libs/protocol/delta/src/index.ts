export { encodeDelta, type DeltaAlgorithm } from './algorithm.js';
export { BaseBudget, type BaseHolder } from './base-budget.js';
export {
  channelDelta,
  type ChannelDelta,
  type ChannelDeltaEntry,
  type DeltaDefaults,
  showsTags,
} from './channel-settings.js';
export { conflationKey } from './conflation-key.js';
export { DeltaStream, type DeltaRules, type DeltaStep } from './delta-stream.js';
export { LatestBases } from './latest-bases.js';
export { chooseAlgorithm, readDeltaWish, type DeltaWish } from './negotiate.js';
export { SharedEncoding } from './shared-encoding.js';
