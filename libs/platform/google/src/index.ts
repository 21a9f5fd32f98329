export { Acknowledger } from './acknowledger.js';
export {
  PubsubClient,
  type PubsubClientOptions,
  type PubsubSettings,
  type SubscriptionPlan,
} from './client.js';
export { hasCode, PubsubError, pubsubError, STATUS } from './failures.js';
export { MessageSender } from './message-sender.js';
export { type IncomingMessage, type OutgoingMessage } from './messages.js';
export { idPrefix, orderingKey } from './resource-names.js';
export { SubscriptionStream, type StreamListener } from './subscription-stream.js';
