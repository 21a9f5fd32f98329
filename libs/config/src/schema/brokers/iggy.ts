import {
  bool,
  bound,
  each,
  enumeration,
  isUrl,
  list,
  notEmpty,
  optional,
  secret,
  string,
  table,
  u32,
} from '../../kernel/index.js';
import { nodes, prefix, timeout } from './common.js';

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
