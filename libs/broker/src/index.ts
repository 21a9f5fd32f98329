export { FABRIC_DRIVERS, openFabric } from './drivers.js';
export { type FabricConfig, type FabricOptions } from './fabric-options.js';
export { LocalFabric } from './drivers/local.js';
export { type OnListenerFault } from './listener-fault.js';
export { MAX_UNIQUE_MS, type LiveEvent } from './live-event.js';
export { mergeAnswers } from './merge-answers.js';
export {
  type AnnouncementListener,
  type Heard,
  type LaneAddress,
  type LaneFabric,
  type LaneHandler,
} from './lanes/port.js';
export { FABRIC, FabricModule, LANE_FABRIC } from './module.js';
export { newNodeId } from './node-id.js';
export {
  type BrokerOutage,
  type Fabric,
  type FabricListener,
  type Gathered,
  type OpenedFabric,
} from './port.js';
export {
  type ActingSocket,
  type Answer,
  type ChannelOccupancy,
  type Membership,
  type Question,
  type RevokedTokens,
  type TakenConnection,
} from './question.js';
