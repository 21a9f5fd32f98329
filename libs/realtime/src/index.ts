export { type AppHub } from './apps/app-hub.js';
export { rulesOf, type AppRules } from './apps/app-rules.js';
export { type Hubs } from './apps/hubs.js';
export { type NativePublish } from './channels/topic.js';
export type { Subscription } from './channels/audience.js';
export { type LocalChannel } from './channels/local-channel.js';
export { viewsOf } from './channels/views.js';
export {
  type Appends,
  frameBytes,
  Frames,
  type Codec,
  type Frame,
  type LiteralSelector,
  type Roles,
} from './codec.js';
export { DeltaMeters } from './delta-meters.js';
export { type Outlet } from './delivery/outlet.js';
export { type StreamReads } from './durable/stream-reads.js';
export { type Edge } from './edge.js';
export { type CometReply, type CometRequest, type CometRelay } from './entry/comet-relay.js';
export { type ConnectionSlots } from './entry/connection-slots.js';
export { UpgradeLimit, type UpgradeVerdict } from './entry/upgrade-limit.js';
export { HUB, HubModule } from './hub.module.js';
export { Hub, type HubParts } from './hub.js';
export { type JoinRefusal, type JoinRequest, type Joins } from './joining/joins.js';
export { type Showing } from './joining/showing.js';
export { type Isolation } from './leave/isolation.js';
export { type Leaving } from './leave/leaving.js';
export {
  type Membership,
  type TakenConnection,
  type ConnectionTakeovers,
} from './leave/connection-takeovers.js';
export { type ConnectionErrorType, type SocketLimit } from './metrics.js';
export { type SocketOccupancy } from './occupancy.js';
export {
  type ForwardedAnswer,
  type SessionAnswer,
  type SessionHandler,
  type SessionRequest,
  type SessionRequests,
} from './session-requests.js';
export { HttpTopics } from './delivery/http-topics.js';
export { type PatternBook, type PatternRequest } from './patterns/pattern-book.js';
export { type State } from './state/state.js';
export { type NotRead, type Replay, type Replays } from './recovery/replays.js';
export { type Remembered } from './recovery/past.js';
export { type Recovery, type Resumes } from './recovery/resumes.js';
export { Patience, whenDrained } from './recovery/telling.js';
export { inTurn, type Work } from './subscriber/in-turn.js';
export {
  type ClientOrigin,
  type ConnectionTraits,
  Subscriber,
  type SubscriberSocket,
} from './subscriber/subscriber.js';
export { type AcceptedMessage, type AppTap, type ClosedAs, type Refusal } from './tap.js';
export { type Topic } from './channels/topic.js';
export { type Arrived } from './delivery/arrived.js';
export { Windows, type WindowRule } from './subscriber/windows.js';
export { type Identities } from './users/identities.js';
export { type Identity } from './users/identity.js';
export { type Token } from './users/token-holders.js';
export { type Watchlists } from './users/watchlists.js';
export { type Origin, type OriginHead } from './durable/origin.js';
export { StoredOrigin } from './durable/stored-origin.js';
export { type Seen, Streams, type StreamsParts } from './durable/streams.js';
