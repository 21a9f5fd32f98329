import {
  bool,
  bound,
  clusterNodes,
  each,
  enumeration,
  isUrl,
  list,
  notEmpty,
  optional,
  secret,
  string,
  table,
  u16,
  u32,
  u64,
} from '../kernel/index.js';
import { tlsBlock } from './tls-block.js';

/** What the adapter and the queue say differently about the same broker. */
interface Broker {
  /** Default of `prefix`. */
  readonly prefix: string;
}

const prefix = (initial: string, env: string) =>
  string({
    default: initial,
    notEmpty: true,
    env,
    meaning: 'In front of every subject, topic, exchange or queue',
  });
const timeout = (env: string, initial = 5000) =>
  u64({
    default: initial,
    min: 1,
    unit: 'ms',
    env,
    meaning: 'Time one request to the broker or to peers may take',
  });
const nodes = (env: string) =>
  optional(u32({ default: null, min: 1, env, meaning: 'Expected number of gateways, a hint' }));
const name = (env: string, meaning: string) => optional(string({ default: null, env, meaning }));
const hidden = (env: string, meaning: string) => optional(secret({ default: null, env, meaning }));
const capacity = (env: string, meaning: string) => optional(u64({ default: null, min: 1, env, meaning }));

export const redisAdapter = table({
  requests_timeout: u64({
    default: 5000,
    min: 1,
    unit: 'ms',
    meaning: 'Time peers have to answer a request',
  }),
  prefix: string({
    default: 'service_adapter:',
    notEmpty: true,
    meaning: 'In front of every channel of the store',
  }),
  redis_pub_options: table({
    url: optional(
      string({
        default: null,
        bounds: [isUrl],
        env: 'REDIS_URL',
        meaning: 'Standalone connection that publishes',
      }),
    ),
  }),
  redis_sub_options: table({
    url: optional(
      string({
        default: null,
        bounds: [isUrl],
        env: 'REDIS_URL',
        meaning: 'Standalone connection that subscribes',
      }),
    ),
  }),
  cluster_mode: bool({ default: false, meaning: 'Use the cluster nodes of `database.redis`' }),
});

export const redisClusterAdapter = table({
  nodes: clusterNodes({
    default: [],
    env: ['REDIS_CLUSTER_NODES', 'DATABASE_REDIS_CLUSTER_NODES'],
    bounds: [each(notEmpty)],
    meaning: 'Cluster nodes; needed when the driver is selected',
  }),
  prefix: string({
    default: 'service_adapter:',
    notEmpty: true,
    meaning: 'In front of every channel of the store',
  }),
  request_timeout_ms: u64({
    default: 1000,
    min: 1,
    unit: 'ms',
    meaning: 'Time peers have to answer a request',
  }),
  use_connection_manager: bool({ default: true, meaning: 'Reconnect and refresh the topology by itself' }),
  use_sharded_pubsub: bool({ default: false, meaning: 'Sharded instead of classic publish/subscribe' }),
  tls: tlsBlock(null),
});

export const nats = (broker: Broker) =>
  table({
    servers: list({
      default: ['nats://localhost:4222'],
      env: 'NATS_SERVERS',
      bounds: [notEmpty, each(notEmpty)],
      meaning: 'Servers to try',
    }),
    prefix: prefix(broker.prefix, 'NATS_PREFIX'),
    request_timeout_ms: timeout('NATS_REQUEST_TIMEOUT_MS'),
    username: name('NATS_USERNAME', 'User'),
    password: hidden('NATS_PASSWORD', 'Password'),
    token: hidden('NATS_TOKEN', 'Token instead of user and password'),
    connection_timeout_ms: timeout('NATS_CONNECTION_TIMEOUT_MS'),
    nodes_number: nodes('NATS_NODES_NUMBER'),
    discovery_max_wait_ms: u64({
      default: 1000,
      unit: 'ms',
      env: 'NATS_DISCOVERY_MAX_WAIT_MS',
      meaning: 'Longest wait for peers at start',
    }),
    discovery_idle_wait_ms: u64({
      default: 150,
      unit: 'ms',
      env: 'NATS_DISCOVERY_IDLE_WAIT_MS',
      meaning: 'Silence that ends the wait for peers',
    }),
    subscription_capacity: capacity('NATS_SUBSCRIPTION_CAPACITY', 'Messages waiting per subscription'),
    client_capacity: capacity('NATS_CLIENT_CAPACITY', 'Commands waiting in the client'),
    max_reconnects: optional(
      u64({ default: null, env: 'NATS_MAX_RECONNECTS', meaning: 'Attempts to reconnect; unset = for ever' }),
    ),
    presence_sync_chunk_size: capacity('NATS_PRESENCE_SYNC_CHUNK_SIZE', 'Members in one presence message'),
    no_echo: bool({ default: true, env: 'NATS_NO_ECHO', meaning: 'Own messages do not come back' }),
  });

export const pulsar = (broker: Broker) =>
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

export const rabbitmq = (broker: Broker) =>
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

export const googlePubsub = (broker: Broker) =>
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

export const kafka = (broker: Broker) =>
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

const durability = (env: string, meaning: string) =>
  optional(enumeration({ values: ['replicated', 'persisted'], default: null, env, meaning }));

/** `own` is the part that uses the broker; its own partition variables win. */
export const iggy = (own: 'ADAPTER' | 'QUEUE') =>
  table({
    connection_string: string({
      default: 'iggy://iggy:iggy@127.0.0.1:8090',
      bounds: [isUrl],
      env: 'IGGY_CONNECTION_STRING',
      meaning: 'Server address',
    }),
    cluster_seeds: list({
      default: [],
      env: 'IGGY_CLUSTER_SEEDS',
      bounds: [each(notEmpty)],
      meaning: 'Further servers as `host:port`',
    }),
    connect_timeout_ms: timeout('IGGY_CONNECT_TIMEOUT_MS', 2000),
    failover_timeout_ms: timeout('IGGY_FAILOVER_TIMEOUT_MS', 15_000),
    username: optional(string({ default: null, emptyClears: true, env: 'IGGY_USERNAME', meaning: 'User' })),
    password: optional(
      secret({ default: null, emptyClears: true, env: 'IGGY_PASSWORD', meaning: 'Password' }),
    ),
    consumer_name: optional(
      string({
        default: null,
        emptyClears: true,
        env: 'IGGY_CONSUMER_NAME',
        meaning: 'Name of this consumer; unset or empty = `instance.host_name`, then `instance.process_id`',
      }),
    ),
    stream: string({ default: 'service', notEmpty: true, env: 'IGGY_STREAM', meaning: 'Stream' }),
    topic_prefix: prefix('service-adapter', 'IGGY_TOPIC_PREFIX'),
    queue_topic_prefix: prefix('service-queue', 'IGGY_QUEUE_TOPIC_PREFIX'),
    consumer_group_prefix: prefix('service-workers', 'IGGY_CONSUMER_GROUP_PREFIX'),
    request_timeout_ms: timeout('IGGY_REQUEST_TIMEOUT_MS'),
    poll_interval_ms: timeout('IGGY_POLL_INTERVAL_MS', 5),
    poll_batch_size: u32({
      default: 100,
      min: 1,
      env: 'IGGY_POLL_BATCH_SIZE',
      meaning: 'Messages in one poll',
    }),
    partitions_count: u32({
      default: 1,
      min: 1,
      env: ['IGGY_PARTITIONS_COUNT', `${own}_IGGY_PARTITIONS_COUNT`],
      meaning: 'Partitions of a new topic',
    }),
    partition_id: u32({
      default: 0,
      env: ['IGGY_PARTITION_ID', `${own}_IGGY_PARTITION_ID`],
      bounds: [bound('< partitions_count', () => null)],
      meaning: 'Partition used',
    }),
    auto_create: bool({ default: true, env: 'IGGY_AUTO_CREATE', meaning: 'Create what is missing' }),
    start_from_latest: bool({
      default: true,
      env: 'IGGY_START_FROM_LATEST',
      meaning: 'A new consumer skips old messages',
    }),
    nodes_number: nodes('IGGY_NODES_NUMBER'),
    durability: durability('IGGY_DURABILITY', 'When a message counts as stored'),
    consumer_offset_durability: durability(
      'IGGY_CONSUMER_OFFSET_DURABILITY',
      'When an offset counts as stored',
    ),
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
