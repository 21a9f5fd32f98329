import { bool, each, list, notEmpty, optional, table, u64 } from '../../kernel/index.js';
import { capacity, hidden, name, nodes, prefix, timeout, type BrokerBlock } from './common.js';

export const nats = (broker: BrokerBlock) =>
  table({
    servers: list({
      default: ['nats://localhost:4222'],
      env: 'NATS_SERVERS',
      bounds: [notEmpty, each(notEmpty)],
      meaning:
        'Servers to try, in order: `nats://`, `tls://` and `host:port` (port 4222), or only WebSocket URLs: `ws://` (port 80), `wss://` (port 443)',
    }),
    prefix: prefix(broker.prefix, 'NATS_PREFIX'),
    request_timeout_ms: timeout('NATS_REQUEST_TIMEOUT_MS'),
    username: name('NATS_USERNAME', 'User'),
    password: hidden('NATS_PASSWORD', 'Password'),
    token: hidden('NATS_TOKEN', 'Token instead of user and password'),
    credentials_file: name(
      'NATS_CREDENTIALS_FILE',
      'File with the JWT and the nkey seed of a user; read at each connection',
    ),
    nkey_seed: hidden('NATS_NKEY_SEED', 'Seed of an nkey instead of user and password'),
    jwt: hidden('NATS_JWT', 'JWT of a user, proved with `nkey_seed`'),
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
