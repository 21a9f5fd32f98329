import {
  bool,
  bound,
  derived,
  enumeration,
  list,
  matches,
  optional,
  portBound,
  string,
  subsetOf,
  table,
  u16,
  u32,
  u64,
} from '../kernel/index.js';

/** Every stage of the push pipeline that a process can run. */
const PUSH_STAGES = [
  'planner',
  'shard',
  'dispatch',
  'feedback',
  'retry',
  'scheduler',
  'repair',
  'cleanup',
] as const;

/** The settings at the top of the tree. */
export const topLevel = {
  debug: bool({
    default: false,
    env: [{ name: 'DEBUG', effect: 'forces-true' }, 'DEBUG_MODE'],
    meaning: 'Debug mode: chooses `logging.filter_debug` and shows source locations in logs',
  }),
  host: string({
    default: '0.0.0.0',
    notEmpty: true,
    // Rejects only impossible names: a name that does not resolve is reported when the listener opens.
    bounds: [matches(/^[^\s/]*$/, 'an IP address or a host name')],
    env: 'HOST',
    meaning: 'Bind address of the main listener',
  }),
  port: u16({
    default: 6001,
    env: 'PORT',
    bounds: [portBound('1–65535; 0 = any free port, only outside production')],
    meaning: 'Port of the main listener',
  }),
  mode: enumeration({
    values: ['production', 'development', 'test'],
    spellings: { prod: 'production', dev: 'development' },
    default: 'production',
    env: 'ENVIRONMENT',
    meaning: 'What the process is for: guards that only production has depend on it. Also `prod` and `dev`',
  }),
  server_role: derived(
    enumeration({
      values: ['default', 'api'],
      default: null,
      env: 'SERVICE_SERVER_ROLE',
      meaning: 'Whether the process serves live sockets (`default`) or only the HTTP API (`api`)',
    }),
    '`default`; `api` in the api, mcp-gateway and ingest processes',
  ),
  path_prefix: string({
    default: '/',
    bounds: [matches(/^\/\S*$/, 'a path that starts with / and has no whitespace')],
    meaning: 'In front of `/app` and `/apps` only, never of probes; the signed path includes it',
  }),
  max_connections: u32({
    default: 0,
    env: 'SERVICE_MAX_CONNECTIONS',
    meaning: 'WebSocket connections of one node; 0 = no limit',
  }),
  activity_timeout: u64({
    default: 120,
    min: 1,
    unit: 's',
    env: 'ACTIVITY_TIMEOUT',
    meaning: 'Silence after which a V1 socket is asked for a sign of life',
  }),
  shutdown_grace_period: u64({
    default: 10,
    min: 0,
    max: 3600,
    unit: 's',
    env: 'SHUTDOWN_GRACE_PERIOD',
    meaning: 'Time until the last socket is closed at shutdown',
  }),
  user_authentication_timeout: u64({
    default: 3600,
    min: 1,
    unit: 's',
    env: 'USER_AUTHENTICATION_TIMEOUT',
    meaning: 'Time a socket has to sign in where signing in is required',
  }),
  websocket_max_payload_kb: u32({
    default: 64,
    min: 1,
    unit: 'KiB',
    env: 'WEBSOCKET_MAX_PAYLOAD_KB',
    meaning: 'Inbound message size; the smaller of this and `websocket.max_message_size` applies',
  }),
  health_check_timeout_ms: u64({
    default: 2000,
    min: 1,
    unit: 'ms',
    env: 'HEALTH_CHECK_TIMEOUT_MS',
    meaning: 'Time one dependency has to answer `/up`',
  }),
  health_check_cache_ms: u64({
    default: 1000,
    unit: 'ms',
    env: 'HEALTH_CHECK_CACHE_MS',
    meaning: 'How long a health answer is reused; 0 = always probe',
  }),
  startup_timeout_ms: u64({
    default: 30_000,
    min: 1,
    unit: 'ms',
    env: 'STARTUP_TIMEOUT_MS',
    meaning: 'Time all dependencies together have to become reachable at start',
  }),
  config_strict: bool({
    default: false,
    env: 'SERVICE_CONFIG_STRICT',
    meaning: 'Unknown keys in the file are errors instead of warnings. Meant for the environment',
  }),
  instance: table({
    process_id: derived(
      string({
        default: null,
        notEmpty: true,
        bounds: [matches(/^[A-Za-z0-9._-]{0,128}$/, 'at most 128 characters of A-Z a-z 0-9 . _ -')],
        env: 'INSTANCE_PROCESS_ID',
        meaning: 'Identity of this process in the cluster',
      }),
      'a random UUID',
    ),
    host_name: optional(
      string({ default: null, env: 'HOSTNAME', meaning: 'Name of the machine. Meant for the environment' }),
    ),
  }),
  drain: table({
    delay_ms: derived(
      u64({
        default: null,
        unit: 'ms',
        env: 'DRAIN_DELAY_MS',
        bounds: [bound('< shutdown_grace_period', () => null)],
        meaning: 'Time for load balancers to notice a draining node before sockets are closed',
      }),
      'min(5000, a third of shutdown_grace_period)',
    ),
  }),
  workers: table({
    ingest: bool({
      default: true,
      env: 'SERVICE_WORKERS_INGEST',
      meaning: 'Whether the all-in-one server reads the sources of `ingest` itself',
    }),
    webhooks: bool({
      default: true,
      env: 'SERVICE_WORKERS_WEBHOOKS',
      meaning: 'Whether the all-in-one server delivers webhooks itself',
    }),
    push_stages: list({
      default: PUSH_STAGES,
      bounds: [subsetOf(PUSH_STAGES)],
      env: 'SERVICE_WORKERS_PUSH_STAGES',
      meaning: 'Push stages the all-in-one server runs itself; a worker count of 0 also disables a stage',
    }),
  }),
};
