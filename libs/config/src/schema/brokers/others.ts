import { bound, each, isUrl, list, notEmpty, optional, string, table, u16, u32 } from '../../kernel/index.js';
import { hidden, name, nodes, prefix, timeout, type BrokerBlock } from './common.js';

export const pulsar = (broker: BrokerBlock) =>
  table({
    url: string({
      default: 'pulsar://127.0.0.1:6650',
      bounds: [isUrl],
      env: 'PULSAR_URL',
      meaning: 'Service address',
    }),
    prefix: prefix(broker.prefix, 'PULSAR_PREFIX'),
    request_timeout_ms: timeout('PULSAR_REQUEST_TIMEOUT_MS'),
    token: hidden('PULSAR_TOKEN', 'Authentication token'),
    nodes_number: nodes('PULSAR_NODES_NUMBER'),
  });

export const rabbitmq = (broker: BrokerBlock) =>
  table({
    url: string({
      default: 'amqp://guest:guest@127.0.0.1:5672/%2f',
      bounds: [isUrl],
      env: 'RABBITMQ_URL',
      meaning: 'Server address',
    }),
    prefix: prefix(broker.prefix, 'RABBITMQ_PREFIX'),
    request_timeout_ms: timeout('RABBITMQ_REQUEST_TIMEOUT_MS'),
    connection_timeout_ms: timeout('RABBITMQ_CONNECTION_TIMEOUT_MS'),
    nodes_number: nodes('RABBITMQ_NODES_NUMBER'),
  });

export const googlePubsub = (broker: BrokerBlock) =>
  table({
    project_id: string({
      default: '',
      env: 'GOOGLE_PUBSUB_PROJECT_ID',
      bounds: [bound('not empty when the driver is selected', () => null)],
      meaning: 'Project',
    }),
    prefix: prefix(broker.prefix, 'GOOGLE_PUBSUB_PREFIX'),
    request_timeout_ms: timeout('GOOGLE_PUBSUB_REQUEST_TIMEOUT_MS'),
    emulator_host: optional(
      string({
        default: null,
        env: ['PUBSUB_EMULATOR_HOST', 'GOOGLE_PUBSUB_EMULATOR_HOST'],
        meaning: 'Emulator instead of the cloud',
      }),
    ),
    nodes_number: nodes('GOOGLE_PUBSUB_NODES_NUMBER'),
  });

export const kafka = (broker: BrokerBlock) =>
  table({
    brokers: list({
      default: ['localhost:9092'],
      env: 'KAFKA_BROKERS',
      bounds: [notEmpty, each(notEmpty)],
      meaning: 'Brokers to try',
    }),
    prefix: prefix(broker.prefix, 'KAFKA_PREFIX'),
    request_timeout_ms: timeout('KAFKA_REQUEST_TIMEOUT_MS'),
    security_protocol: name('KAFKA_SECURITY_PROTOCOL', 'Security protocol, such as `sasl_ssl`'),
    sasl_mechanism: name('KAFKA_SASL_MECHANISM', 'Mechanism, such as `plain` or `scram-sha-512`'),
    sasl_username: name('KAFKA_SASL_USERNAME', 'User'),
    sasl_password: hidden('KAFKA_SASL_PASSWORD', 'Password'),
    nodes_number: nodes('KAFKA_NODES_NUMBER'),
  });

export const omq = table({
  bind_endpoint: string({
    default: 'tcp://127.0.0.1:5556',
    notEmpty: true,
    env: 'OMQ_BIND_ENDPOINT',
    meaning: 'Where this node listens',
  }),
  connect_endpoints: list({
    default: [],
    env: 'OMQ_CONNECT_ENDPOINTS',
    bounds: [each(notEmpty)],
    meaning: 'Where the peers listen',
  }),
  prefix: prefix('service_adapter', 'OMQ_PREFIX'),
  request_timeout_ms: timeout('OMQ_REQUEST_TIMEOUT_MS'),
  nodes_number: nodes('OMQ_NODES_NUMBER'),
  io_threads: u16({ default: 1, min: 1, env: 'OMQ_IO_THREADS', meaning: 'Threads that move bytes' }),
  send_hwm: u32({ default: 100_000, env: 'OMQ_SEND_HWM', meaning: 'Outbound messages kept per peer' }),
  recv_hwm: u32({ default: 100_000, env: 'OMQ_RECV_HWM', meaning: 'Inbound messages kept' }),
});
