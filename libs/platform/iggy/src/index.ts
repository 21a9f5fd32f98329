export { iggyAddress, type IggyAddress, type IggyServer, type IggySettings } from './address.js';
export { IggyClient, type IggyClientOptions } from './client.js';
export { IggyRefused, IggyUnavailable } from './failures.js';
export {
  endOf,
  MAX_BATCH_BYTES,
  type PartitionAddress,
  type Polled,
  type PolledMessage,
  pollMessages,
  type PollOptions,
  sendMessages,
  storedOffset,
  storeOffset,
} from './messages.js';
export { openIggy, streamOptions } from './open.js';
export { IggyPoller, type PollerOptions } from './poller.js';
export { IggySender, MessageTooLarge } from './sender.js';
export { ensureTopics, type StreamOptions, type TopicPlan } from './topics.js';
