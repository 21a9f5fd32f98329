export {
  type AppendMode,
  type ClientLibrary,
  type ConnectRules,
  type V1ConnectOptions,
  type V2ConnectOptions,
  type WireFormat,
} from './connect/options.js';
export { parseConnectOptions } from './connect/parse-query.js';
export {
  eventForProtocol,
  isClientEvent,
  readReservedEvent,
  type ProtocolVersion,
  type ReservedKind,
} from './event-names.js';
export { frameError, type FrameError, type FrameErrorDetail } from './frame-error.js';
export { readChannelData } from './inbound/channel-data.js';
export { decodeV1Frame } from './inbound/decode-v1.js';
export {
  type ClientEventFrame,
  type InboundFrame,
  type MalformedFrame,
  type RefusedFrame,
  type SigninFrame,
  type SubscribeFrame,
  type SystemRequest,
  type UnsubscribeFrame,
} from './inbound/frame.js';
export { readUserData, type UserData } from './inbound/user-data.js';
export { compactJson } from './json/compact.js';
export { omitMembers } from './json/omit-members.js';
export { rawElements } from './json/raw-elements.js';
export { rawMember } from './json/raw-member.js';
export {
  connectionEstablished,
  errorFrame,
  PING,
  PONG,
  signinSuccess,
  TOKEN_REVOKED,
  watchlistEvents,
} from './outbound/connection.js';
export { encodeV1 } from './outbound/encode-v1.js';
export { type OutboundFrame } from './outbound/frame.js';
export { encodeMessageV2, messageForV1, type MessageV2 } from './outbound/message-v2.js';
export { memberAdded, memberRemoved, type PresenceMember } from './outbound/presence.js';
export {
  cacheMiss,
  presenceSubscriptionSucceeded,
  subscriptionCount,
  subscriptionError,
  subscriptionSucceeded,
  type SubscriptionErrorStatus,
} from './outbound/subscription.js';
export { isUserId, MAX_USER_ID_BYTES } from './user-id.js';
export { isSocketId, newSocketId } from './socket-id.js';
