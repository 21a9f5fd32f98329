export { Revocations } from './tokens/revocations.js';
export { keyHolder, tokenHolder, type Caller, type Right } from './caller.js';
export { AppRate } from './app-rate.js';
export { argumentsSchema, inputOfArguments } from './describe/arguments.js';
export {
  type AnyInput,
  type Description,
  type InputOf,
  type Mark,
  type OperationError,
  type ResultOf,
  type Subject,
} from './describe/description.js';
export { type JsonSchema } from './describe/json-schema.js';
export { documentPath, openApiDocument } from './describe/open-api.js';
export { type Option } from './describe/option.js';
export {
  anything,
  count,
  flag,
  listOf,
  mapOf,
  object,
  oneOf,
  text,
  type Shape,
  type ValueOf,
} from './describe/shape.js';
export { COMMON_DESCRIPTIONS, DESCRIPTIONS } from './descriptions.js';
export { lackOf } from './messages/annotate-message.js';
export { extrasRules } from './messages/deliverable.js';
export { type MessageAccess } from './messages/parts.js';
export { type HistoryAccess } from './history/durable-channel.js';
export { MessageReceipts } from './idempotency/message-receipts.js';
export { OncePublisher } from './idempotency/once-publisher.js';
export { isJsonObject, jsonBody, ReceivedBody, type JsonBody, type JsonObject } from './json/json-body.js';
export { OPERATIONS, OperationsModule } from './module.js';
export { type Done, type Operation } from './operation.js';
export { createOperations, type LiveParts, type Operations, type OperationsParts } from './operations.js';
export { ClientPublisher } from './publish/client-publisher.js';
export { EVENT_SCHEMA } from './publish/event-fields.js';
export { CHANNEL_OUTCOME } from './publish/outcome.js';
export { PublishNews, type Published } from './publish/news.js';
export { orUnavailable } from './unavailable.js';
