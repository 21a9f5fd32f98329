export {
  clientPublishRefusal,
  patternCovers,
  subscribeRefusal,
  takesClientEvents,
  userLimitRefusal,
} from './access.js';
export { CHANNEL_KINDS, kindOf, logicalName, type ChannelKind, type ChannelTraits } from './channel-kind.js';
export {
  type ChannelPattern,
  type MetaChannel,
  type OrdinaryChannel,
  type PublishableChannel,
  type ServerToUserChannel,
  type SubscribableChannel,
} from './channel.js';
export { Channels } from './channels.js';
export { keptOf, type Kept } from './kept.js';
export { metaBase, metaChannel, toldAbout } from './meta.js';
export { findNamespace, namespaceName } from './namespace.js';
export {
  type ChannelPolicy,
  type GlobalChannelSettings,
  type HistoryPolicy,
  type PresenceHistoryPolicy,
  type RecoveryPolicy,
} from './policy.js';
export { refusalError, type ChannelRefusal, type RefusalReason } from './refusal.js';
export { serverToUserChannel, serverToUserId } from './server-to-user.js';
export { type Wildcard } from './wildcard.js';
