export { Carillon, type ClientEvents } from './client.js';
export type { ClientOptions } from './options.js';
export { CarillonError, type FailureReason } from './error.js';
export type { Listener, Stop } from './emitter.js';
export type { ConnectionState, StateChange } from './connection/state.js';
export { type BackoffOptions, backoffMs } from './connection/backoff.js';
export type { SocketConstructor, SocketLike } from './connection/socket.js';
export type { TransportName } from './connection/transports.js';
export type { Channel, Decryptor, EventMap, SendOptions } from './channel/channel.js';
export type {
  AnnotationEvent,
  ChannelEvents,
  ChannelState,
  MetaEvent,
  Recovery,
  Rewound,
  Summary,
} from './channel/events.js';
export type { Action, Message, VersionInfo } from './channel/message.js';
export type { Filter, SubscribeOptions, TagFilter } from './channel/options.js';
export type { Receipt, Sending } from './channel/receipts.js';
export type { HistoryItem, HistoryOptions, HistoryPage } from './channel/history.js';
export type { Member, Presence, PresenceEvents } from './channel/presence.js';
export type { DeltaDecoder } from './channel/delta-bases.js';
export type { Extras, Frame, HeaderValue, ReceivedFrame, WireFormat } from './format/frame.js';
export { json } from './format/json.js';
export type { User, UserEvents, UserToAuthenticate } from './user.js';
export type {
  Authorization,
  Authorize,
  ChannelToAuthorize,
  Endpoint,
  UserAuthentication,
} from './auth/authorizer.js';
export type { TokenSource } from './auth/token.js';
export { type Api, type ApiRequest, answerOf, type ForwardOptions, forwardTo } from './api.js';
export type { LiveEvents, LiveMessages, LiveOptions } from './messages/live-messages.js';
export type { LiveMessage } from './messages/fold.js';
export type {
  Change,
  Changed,
  Messages,
  Published,
  PublishOptions,
  VersionsOptions,
} from './messages/messages.js';
export type {
  Annotation,
  Annotations,
  AnnotationsOptions,
  AnnotationType,
  Summarizer,
} from './messages/annotations.js';
export type { Ai } from './messages/ai.js';
export type { AiStream, StreamOptions } from './messages/ai-stream.js';
