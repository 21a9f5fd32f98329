import {
  bool,
  bound,
  enumeration,
  optional,
  rows,
  secret,
  string,
  table,
  u64,
  type Bound,
} from '../kernel/index.js';
import type { Secret } from '../secret.js';
import { capabilityProblem } from './compat-capability.js';

const ENV = 'SERVICE_COMPAT';
const positive = (initial: number, key: string, meaning: string, unit?: string) =>
  u64({ default: initial, min: 1, env: `${ENV}_${key}`, meaning, ...(unit === undefined ? {} : { unit }) });

const capability: Bound<string> = bound('JSON text of an object of operation lists', capabilityProblem);

const keySecret: Bound<Secret> = bound('not empty; no :, . or whitespace', (value) => {
  if (value.reveal() === '') return 'must not be empty';
  return /[:.\s]/.test(value.reveal()) ? 'must not contain ":", "." or whitespace' : null;
});

const keyName: Bound<string> = bound('not empty; no : or whitespace; unique', (value) => {
  if (value === '') return 'must not be empty';
  return /[:\s]/.test(value) ? 'must not contain ":" or whitespace' : null;
});

const time = (meaning: string) => optional(u64({ default: null, unit: 'ms since 1970', meaning }));

const keys = rows({
  row: table({
    app_id: string({ default: '', notEmpty: true, meaning: 'App of the key' }),
    key_name: string({ default: '', bounds: [keyName], meaning: 'Public name of the key' }),
    secret: secret({ default: '', bounds: [keySecret], meaning: 'Secret of the key' }),
    capability: string({ default: '{"*":["*"]}', bounds: [capability], meaning: 'What the key may do' }),
    revocable_tokens: bool({ default: false, meaning: 'Tokens of the key end with it' }),
    enabled: bool({ default: true, meaning: 'Whether the key is accepted' }),
    rotation_id: string({ default: '', meaning: 'A change ends revocable tokens' }),
    created_at_ms: time('The key is not valid before'),
    expires_at_ms: time('The key is not valid from then on'),
    revoked_at_ms: time('The key is not valid from then on'),
  }),
  specialEnv: [`${ENV}_KEYS_JSON`],
  meaning: 'Key registry; the variable, a JSON array, replaces it',
});

export const compat = table({
  enabled: bool({ default: false, env: `${ENV}_ENABLED`, meaning: 'Serve the compat routes and sockets' }),
  realtime_admission: enumeration({
    values: ['accept', 'placement_constraint'],
    spellings: { 'placement-constraint': 'placement_constraint' },
    default: 'accept',
    env: `${ENV}_REALTIME_ADMISSION`,
    meaning: '`placement_constraint` sends clients to fallback hosts',
  }),
  attach_timeout_ms: positive(10_000, 'ATTACH_TIMEOUT_MS', 'Time an attach may take', 'ms'),
  max_token_ttl_ms: positive(86_400_000, 'MAX_TOKEN_TTL_MS', 'Longest life of a token', 'ms'),
  token_request_timestamp_skew_ms: positive(
    900_000,
    'TOKEN_REQUEST_TIMESTAMP_SKEW_MS',
    'Accepted difference of clocks',
    'ms',
  ),
  nonce_ttl_seconds: positive(900, 'NONCE_TTL_SECONDS', 'How long a nonce is remembered at least', 's'),
  stats_fixture_ingest_enabled: bool({
    default: false,
    env: `${ENV}_STATS_FIXTURE_INGEST_ENABLED`,
    meaning: 'Accept statistics for conformance tests',
  }),
  stats_queue_capacity: positive(4096, 'STATS_QUEUE_CAPACITY', 'Observations waiting'),
  stats_flush_interval_ms: u64({
    default: 10,
    unit: 'ms',
    env: `${ENV}_STATS_FLUSH_INTERVAL_MS`,
    meaning: 'Longest wait of an observation',
  }),
  stats_retention_seconds: positive(
    34_560_000,
    'STATS_RETENTION_SECONDS',
    'How long statistics are kept',
    's',
  ),
  stats_max_scan_entries: positive(100_000, 'STATS_MAX_SCAN_ENTRIES', 'Entries one query reads at most'),
  stats_cas_retries: positive(8, 'STATS_CAS_RETRIES', 'Attempts to merge into a contested entry'),
  keys,
});
