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
export { isDeeperThan } from './json/depth.js';
export { omitMembers } from './json/omit-members.js';
export { rawElements } from './json/raw-elements.js';
export { rawMember } from './json/raw-member.js';
export { rawMembers } from './json/raw-members.js';
export { type Annotated, type AnnotationFact, type AnnotationsSummarized } from './message/annotated.js';
export {
  type CacheMissed,
  type ChannelCounted,
  type ChannelFact,
  type ChannelTurned,
  type Established,
  type Fact,
  type Failed,
  type Heartbeat,
  type HistoryPage,
  type MemberAdded,
  type MemberRemoved,
  type MemberUpdated,
  type ReplyFact,
  type Resumed,
  type ResumeFailed,
  type Rewound,
  type SharedFact,
  type SignedIn,
  type StateFact,
  subjectOf,
  type Subscribed,
  type SubscriptionFailed,
  type TokenRevoked,
  type UserSeen,
  type WatchBegun,
} from './message/fact.js';
export { echoOf, isEphemeral, type Message, type MessageAction } from './message/message.js';
export { readAnnotatedV2, readSummarizedV2 } from './outbound/annotation-v2.js';
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
export { encodeFactV1 } from './outbound/fact-v1.js';
export {
  dataKindMember,
  dataMarksOf,
  encodeMessageV2,
  extrasForReceivers,
  readMessageV2,
  type BesideText,
  type MessageV2,
} from './outbound/message-v2.js';
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

export { deltaFrame, metaEvent, type AttachPoint, type RewindReport } from './outbound/channel-v2.js';
export { resumeFailed, resumeSuccess, type Recovered } from './outbound/recovery.js';
export { codeOf, type RecoveryCode, type RecoveryFailure, type RecoveryReason } from './recovery/failure.js';
export { HotRing } from './recovery/hot-ring.js';
export {
  contiguous,
  judgePosition,
  recoveryFailure,
  type Positioned,
  type StreamHead,
  type Verdict,
} from './recovery/judge.js';
export { withDeltaMembers } from './v2/encode-json.js';
export {
  deliveredExtras,
  headersProblem,
  readExtras,
  type ExtrasProblem,
  type ExtrasRules,
  type ReadExtras,
} from './v2/extras.js';
export { type FrameV2 } from './v2/frame.js';
export { type HistoryWish } from './v2/history-wish.js';
export { readRequestV2 } from './v2/read-request.js';
export { type ResumePosition } from './v2/resume-position.js';
export { type Rewind } from './v2/read-rewind.js';
export { type Decoded, type ReceivedData, type ReceivedFrame } from './v2/received.js';
export {
  type AuthFrame,
  type ChannelHistoryFrame,
  type ClientEventFrameV2,
  type DeltaSyncErrorFrame,
  type EnableDeltaFrame,
  type InboundFrameV2,
  type PresenceUpdateFrame,
  type ResumeFrame,
  type SubscribeFrameV2,
} from './v2/requests.js';
export { type MalformedFrameV2 } from './v2/malformed.js';
export { jsonFormat, loadWireFormat, type WireFormatV2 } from './v2/wire-format.js';
export {
  extrasWith,
  messageSerialOf,
  rolledUp,
  versionHeaders,
  type VersionHeaders,
} from './v2/service-headers.js';
export { WireNames } from './v2/wire-names.js';
export { frameOfFactV2 } from './outbound/encode-fact-v2.js';
