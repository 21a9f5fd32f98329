import {
  bool,
  clusterNodes,
  each,
  isUrl,
  notEmpty,
  optional,
  string,
  table,
  u64,
} from '../../kernel/index.js';
import { MAX_PREFIX_LENGTH } from './common.js';
import { tlsBlock } from '../tls-block.js';

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
    maxLength: MAX_PREFIX_LENGTH,
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
    maxLength: MAX_PREFIX_LENGTH,
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
