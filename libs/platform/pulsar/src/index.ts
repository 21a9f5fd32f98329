export { pulsarAddress, type PulsarAddress, type PulsarSettings } from './address.js';
export { pulsarClient, type PulsarClientOptions } from './client-options.js';
export { PulsarConsumer, type ConsumerOptions, type IncomingMessage } from './consumer.js';
export {
  MAX_PAYLOAD_BYTES,
  MessageRefused,
  type OutgoingMessage,
  type ProducerOptions,
  PulsarProducer,
} from './producer.js';
export { PulsarRefused } from './socket.js';
