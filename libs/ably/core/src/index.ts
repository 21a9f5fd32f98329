export { type Principal } from './authentication.js';
export { Capability } from './capability.js';
export { type ChannelName, isDerived, readChannelName, readOwnChannelName } from './channel-name.js';
export {
  type ConnectionKey,
  connectionKeyHash,
  ConnectionKeys,
  type Keyed,
  type KeyedConnection,
  STATE_TTL_MS,
} from './connection-keys.js';
export { CompatError, type ErrorBody } from './compat-error.js';
export { CompatCore, type CompatCoreParts, messageRules } from './core.js';
export { DerivedFilters } from './derived/derived-filters.js';
export { DerivedSubject } from './derived/derived-subject.js';
export { type Credentials, type CredentialSource, readCredentials } from './credentials.js';
export { readJwe } from './jwe.js';
export { type JwtClaims, proveJwt, readJwt } from './jwt.js';
export { isObject, type JsonObject, parseJson } from './json.js';
export { type AnnotationFinder, type AnnotationRequest } from './annotations.js';
export { callerOf, NOT_GRANTED } from './caller.js';
export { ACTION_NUMBER, type EditAction, editOf } from './message/actions.js';
export {
  type Annotation,
  fromListed,
  readAnnotation,
  summaryOf,
  type WireAnnotation,
} from './message/annotation.js';
export { fromItem, fromLatest } from './message/item.js';
export { connectionOf, fromNative, inFormat, type WireMessage } from './message/native.js';
export { type Edit, readEdit } from './message/read-edit.js';
export { type Pushes } from './push/message-push.js';
export { toNativePayload } from './push/payload.js';
export { orRefused, refusalOf } from './refusal.js';
export { isEphemeral, type Published } from './publisher.js';
export {
  type Identity,
  isGiven,
  type MessageRules,
  type NewMessage,
  payloadOf,
  publisherOf,
  readMessage,
} from './message/read-message.js';
export {
  clientOf,
  isShared,
  leftState,
  memberOf,
  type MemberState,
  memberState,
  type WireMember,
} from './message/members.js';
export { COMPAT_CORE, CompatCoreModule } from './module.js';
export { concerns, readRevocation, revocationOf, type Revocable, type Revocation } from './revocations.js';
export { type CounterName, RuntimeCounters } from './statistics/counters.js';
export { type Entries } from './statistics/entries.js';
export { boundsOf, type Unit, UNITS } from './statistics/intervals.js';
export { type LevelName } from './statistics/levels.js';
export { bytesOf, type Counted, type Measurable, measured } from './statistics/measured.js';
export { type ProvedRequest, proveTokenRequest } from './token-request.js';
export { readTokenRecord } from './tokens.js';
export { decodeWire, encodeWire, type WireFormat } from './wire.js';
