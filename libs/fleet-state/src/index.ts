export { Fleet, type FleetParts } from './fleet/fleet.js';
export {
  type ChannelDetails,
  type ConnectionsPosition,
  type Found,
  type NamePosition,
} from './fleet/fleet-state.js';
export {
  type ChannelItem,
  type ConnectionDetails,
  type ConnectionFilter,
  type ConnectionItem,
  type Coverage,
  type FleetPage,
  type MemberItem,
} from './fleet/items.js';
export { addressFilter } from './gateway/address-filter.js';
export { FLEET, FleetModule, GatewayStateModule, NodeStateModule } from './module.js';
export { type DependencyItem, type NodeItem } from './nodes/node-table.js';
export { type SeriesResult } from './nodes/series.js';
export { SERIES_NAMES, type SeriesName } from './nodes/series-names.js';
export { type OpenTail, type TailRequest } from './tail/tails.js';
