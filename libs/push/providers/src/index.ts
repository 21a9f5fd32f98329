export type {
  ApnsCredential,
  ChannelCredential,
  CloudCredential,
  Credential,
  FcmCredential,
  HmsCredential,
  StaticToken,
  WebPushCredential,
  WnsCredential,
} from './credentials/credential.js';
export {
  type CredentialFields,
  credentialOf,
  InvalidCredential,
  readCredentialFields,
  serviceAccount,
  vapidPublicKey,
  withLineBreaks,
} from './credentials/fields.js';
export { checkDeviceUrl, checkRecipient, DeviceUrlNotAllowed, type DeviceUrlRules } from './device-url.js';
export type { Network } from './drivers/client/network.js';
export { openProvider, openProviders } from './drivers.js';
export { DRY_RUN } from './drivers/dry-run.js';
export { type Answer, type Arrival, MemoryClouds } from './drivers/memory.js';
export { isObject, jsonBytes, type JsonObject } from './json.js';
export {
  accepted,
  type ErrorClass,
  FAILURE_CLASSES,
  type FailureClass,
  rejected,
  retryable,
  type SendFailure,
  type SendOutcome,
} from './outcome.js';
export {
  type ChannelDelivery,
  type ChannelMessage,
  ChannelRefused,
  type PushClient,
  type PushProviders,
  ProviderUnavailable,
  type SendRequest,
} from './port.js';
export {
  type Cloud,
  CLOUDS,
  inBodies,
  isCloud,
  type Provider,
  type ProviderInBodies,
  providerNamed,
  PROVIDERS,
  type TransportType,
  TRANSPORTS,
} from './provider.js';
export { InvalidPayload, type Notification } from './rendering/notification.js';
export { MAX_OVERRIDE_BYTES, type RenderedPayload, renderPayload } from './rendering/render.js';
export { readOverride } from './rendering/override.js';
export { deviceUrlRules, type ProviderSettings } from './settings.js';
export { generateVapidKeys, type VapidKeys } from './vapid-keys.js';
export { type Audience, providerOf, type Recipient, type SendTarget, tokenHash } from './target.js';
