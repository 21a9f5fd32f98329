export { type Principal } from './authentication.js';
export { Capability } from './capability.js';
export { type ChannelName, readChannelName } from './channel-name.js';
export { CompatError, type ErrorBody } from './compat-error.js';
export { CompatCore, type CompatCoreParts, messageRules } from './core.js';
export { type Credentials, type CredentialSource, readCredentials } from './credentials.js';
export { isObject, type JsonObject, parseJson } from './json.js';
export { fromNative, inFormat, type WireMessage } from './message/native.js';
export {
  type Identity,
  type MessageRules,
  type NewMessage,
  payloadOf,
  publisherOf,
  readMessage,
} from './message/read-message.js';
export { memberOf, type MemberState, memberState, type WireMember } from './message/members.js';
export { COMPAT_CORE, CompatCoreModule } from './module.js';
export { decodeWire, encodeWire, type WireFormat } from './wire.js';
