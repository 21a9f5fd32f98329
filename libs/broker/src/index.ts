export { BROKER_DRIVERS, openBroker } from './drivers.js';
export { type BrokerConfig, type BrokerOptions } from './broker-options.js';
export { LocalBroker } from './drivers/local.js';
export {
  type FleetAnswers,
  type FleetBus,
  type FleetHandler,
  type MessageObserver,
  type NoticeListener,
  type Observation,
  type ObservedMessage,
} from './fleet/port.js';
export { type OnListenerFault } from './listener-fault.js';
export { MAX_UNIQUE_MS, type LiveEvent } from './live-event.js';
export { mergeAnswers } from './merge-answers.js';
export {
  type AnnouncementListener,
  type Heard,
  type LaneAddress,
  type LaneBroker,
  type LaneHandler,
} from './lanes/port.js';
export { BROKER, BrokerModule, LANE_BROKER } from './module.js';
export { newNodeId } from './node-id.js';
export {
  type BrokerOutage,
  type Broker,
  type BrokerListener,
  type Gathered,
  type OpenedBroker,
} from './port.js';
export {
  type ActingSocket,
  type Answer,
  type ChannelOccupancy,
  type CometReply,
  type CometRequest,
  type Membership,
  type Question,
  type RevokedTokens,
  type SessionAnswer,
  type SessionRequest,
  type TakenConnection,
} from './question.js';
export { ClusterBroker } from './cluster/cluster-broker.js';
export { type ClusterOptions, type ClusterParts } from './cluster/cluster-parts.js';
export { type ClusterMeters, type ClusterReadings } from './cluster/meters.js';
export { type Session, type SessionListener, SessionLost, type Wire } from './cluster/wire.js';
export { type LaneLine } from './lanes/line.js';
