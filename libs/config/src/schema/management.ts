import {
  bool,
  bound,
  derived,
  enumeration,
  isUrl,
  list,
  matches,
  notEmpty,
  optional,
  portBound,
  rows,
  string,
  subsetOf,
  table,
  u16,
  u64,
  type Bound,
} from '../kernel/index.js';

const MANAGEMENT_SCOPES = ['read', 'write', 'admin'] as const;

const tokenName: Bound<string> = bound('1–64 of A-Z a-z 0-9 _ . -, not `one-time`', (value) => {
  if (value === 'one-time') return 'must not be "one-time"';
  return /^[A-Za-z0-9_.-]{1,64}$/.test(value) ? null : 'must be 1 to 64 characters of A-Z a-z 0-9 _ . -';
});

const tokenApps: Bound<readonly string[]> = bound('not empty; `*` alone', (apps) => {
  if (apps.length === 0 || apps.includes('')) return 'must not be empty';
  return apps.includes('*') && apps.length > 1 ? '"*" must be the only entry' : null;
});

const TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const rfc3339: Bound<string> = bound('an RFC 3339 time', (value) =>
  TIME.test(value) && !Number.isNaN(Date.parse(value)) ? null : 'must be an RFC 3339 time',
);

const origin: Bound<string> = bound('http(s)://host[:port]', (value) => {
  const isOrigin = /^https?:\/\/[^/?#@\s]+\/?$/i.test(value) && URL.canParse(value);
  return isOrigin ? null : 'must be http(s)://host[:port]';
});

const tokens = rows({
  row: table({
    name: string({ default: '', bounds: [tokenName], meaning: 'Name of the principal; unique' }),
    token_hash: string({
      default: '',
      bounds: [matches(/^[0-9a-f]{64}$/, '64 lowercase hexadecimal digits')],
      meaning: 'SHA-256 of the token; unique',
    }),
    scopes: list({
      default: [],
      bounds: [notEmpty, subsetOf(MANAGEMENT_SCOPES)],
      meaning: 'Scopes of the token; independent of each other',
    }),
    apps: list({ default: [], bounds: [tokenApps], meaning: 'Ids of the visible apps; `*` = all' }),
    expires_at: optional(
      string({ default: null, bounds: [rfc3339], meaning: 'Time at which the token expires; unset = never' }),
    ),
  }),
  specialEnv: [
    'MANAGEMENT_TOKEN_HASH',
    'MANAGEMENT_TOKEN_NAME',
    'MANAGEMENT_TOKEN_SCOPES',
    'MANAGEMENT_TOKEN_APPS',
  ],
  meaning: 'Operator tokens; the variables append one',
});

const tail = table({
  max_seconds: u64({
    default: 900,
    min: 1,
    max: 3600,
    unit: 's',
    env: 'MANAGEMENT_TAIL_MAX_SECONDS',
    meaning: 'Longest duration of a tail',
  }),
  payloads: enumeration({
    values: ['full', 'none'],
    default: 'full',
    env: 'MANAGEMENT_TAIL_PAYLOADS',
    meaning: 'Whether traces of a tail may contain message data',
  }),
  max_per_principal: u64({
    default: 4,
    min: 1,
    env: 'MANAGEMENT_TAIL_MAX_PER_PRINCIPAL',
    meaning: 'Concurrent tails of one principal',
  }),
  max_per_node: u64({
    default: 32,
    min: 1,
    env: 'MANAGEMENT_TAIL_MAX_PER_NODE',
    meaning: 'Concurrent tails of one process',
  }),
});

const audit = table({
  store: enumeration({
    values: ['auto', 'sql', 'log'],
    default: 'auto',
    env: 'MANAGEMENT_AUDIT_STORE',
    meaning: 'Audit log: `sql` table, structured `log`, or `auto` = `sql` where a SQL database is configured',
  }),
  retention_days: u64({
    default: 90,
    min: 1,
    max: 3650,
    unit: 'days',
    env: 'MANAGEMENT_AUDIT_RETENTION_DAYS',
    meaning: 'Age at which audit entries are deleted',
  }),
});

export const management = table({
  enabled: bool({ default: false, env: 'MANAGEMENT_ENABLED', meaning: 'Serve the management API' }),
  port: optional(
    u16({
      default: null,
      env: 'MANAGEMENT_PORT',
      bounds: [portBound('1–65535; required in production')],
      meaning: 'Own listener; unset = the main one',
    }),
  ),
  host: string({
    default: '127.0.0.1',
    bounds: [notEmpty],
    env: 'MANAGEMENT_HOST',
    meaning: 'Bind address of the own listener',
  }),
  public_url: optional(
    string({
      default: null,
      bounds: [isUrl, origin],
      env: 'MANAGEMENT_PUBLIC_URL',
      meaning: 'Origin under which browsers reach the management API',
    }),
  ),
  one_time_login: derived(
    bool({
      default: null,
      env: 'MANAGEMENT_ONE_TIME_LOGIN',
      meaning: 'Print a one-time login URL at start; refused in production',
    }),
    'true in development',
  ),
  session_idle_seconds: u64({
    default: 1800,
    min: 2,
    max: 86_400,
    unit: 's',
    env: 'MANAGEMENT_SESSION_IDLE_SECONDS',
    meaning: 'Idle time after which a session ends; at most session_max_seconds',
  }),
  session_max_seconds: u64({
    default: 43_200,
    min: 2,
    max: 86_400,
    unit: 's',
    env: 'MANAGEMENT_SESSION_MAX_SECONDS',
    meaning: 'Age at which a session ends',
  }),
  login_attempts_per_minute: u64({
    default: 10,
    min: 1,
    env: 'MANAGEMENT_LOGIN_ATTEMPTS_PER_MINUTE',
    meaning: 'Failed logins of one client address',
  }),
  failed_auth_per_minute: u64({
    default: 60,
    min: 1,
    env: 'MANAGEMENT_FAILED_AUTH_PER_MINUTE',
    meaning: 'Failed credentials of one client address',
  }),
  rate_limit_per_minute: u64({
    default: 600,
    env: 'MANAGEMENT_RATE_LIMIT_PER_MINUTE',
    meaning: 'Requests of one principal; 0 = no limit',
  }),
  max_body_bytes: u64({
    default: 262_144,
    min: 1024,
    max: 4_194_304,
    unit: 'bytes',
    env: 'MANAGEMENT_MAX_BODY_BYTES',
    meaning: 'Largest request body',
  }),
  fleet_timeout_ms: u64({
    default: 2000,
    min: 100,
    max: 10_000,
    unit: 'ms',
    env: 'MANAGEMENT_FLEET_TIMEOUT_MS',
    meaning: 'Time that requests to all gateways may take',
  }),
  node_report_interval_ms: u64({
    default: 5000,
    min: 500,
    max: 60_000,
    unit: 'ms',
    env: 'MANAGEMENT_NODE_REPORT_INTERVAL_MS',
    meaning: 'Interval between two reports of a process',
  }),
  secret_grace_seconds: u64({
    default: 86_400,
    max: 2_592_000,
    unit: 's',
    env: 'MANAGEMENT_SECRET_GRACE_SECONDS',
    meaning: 'Time for which the previous secret of an app stays valid after a rotation',
  }),
  tail,
  audit,
  tokens,
});
