export { type Member, type Operation, type TokenClaims, type User } from './auth/authorize.js';
export {
  AuthenticationError,
  CarillonError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitedError,
  TimeoutError,
  UnavailableError,
  WebhookError,
} from './errors.js';
export type { Call, Credentials, Encryptor, Options } from './options.js';
export type { ChannelHandle } from './resources/channel.js';
export type { AnnotationsOptions, MessageHandle, VersionsOptions } from './resources/message.js';
export type { Page } from './resources/page.js';
export type { Push, PushMessage, PushPublished } from './resources/push.js';
export { CarillonServer } from './server.js';
export {
  type DrizzleSql,
  publishInTransaction,
  type TransactionEvent,
  type TransactionOptions,
} from './transactions.js';
export type {
  Annotation,
  AnnotationInput,
  BatchEvent,
  BatchOptions,
  BatchResult,
  ChannelInfo,
  Extras,
  HistoryItem,
  HistoryOptions,
  Info,
  Message,
  MessageChange,
  Mutation,
  PresenceRecord,
  Published,
  PublishOptions,
  PublishResult,
  Purge,
  Reason,
  Revocation,
  StreamState,
} from './types.js';
export {
  channelAuthHandler,
  type ChannelToAuthorize,
  type DecideChannel,
  type DecideUser,
  type OnEvent,
  userAuthHandler,
  webhookHandler,
} from './webhooks/handlers.js';
export type { VerifyOptions, Webhook, WebhookEvent, WebhookRequest } from './webhooks/webhook.js';
