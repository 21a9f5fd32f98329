import {
  bool,
  bound,
  derived,
  each,
  list,
  matches,
  notEmpty,
  optional,
  portBound,
  rows,
  secret,
  string,
  subsetOf,
  table,
  u16,
  u64,
  type Bound,
} from '../kernel/index.js';
import type { Secret } from '../secret.js';
import { ALL_TOOLSETS, MCP_TOOLS, MCP_TOOLSETS } from './mcp-tools.js';

const MCP_SCOPES = ['read', 'write', 'admin'] as const;

const allowedHost = matches(
  /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/,
  'name, name:port, [v6] or [v6]:port',
);
const allowedOrigin = matches(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#*\s]+$/, 'scheme://host[:port]');

const mcpPath: Bound<string> = bound('starts with /, at least 2 characters, no whitespace, ? or #', (value) =>
  /^\/[^\s?#]+$/.test(value) && value !== '//' ? null : 'must be an absolute path',
);

const instructions: Bound<string> = bound('≤ 8192 bytes', (value) =>
  Buffer.byteLength(value) > 8192 ? 'must be at most 8192 bytes' : null,
);

const tokenText: Bound<Secret> = bound('16–512 visible ASCII characters', (value) =>
  /^[\x21-\x7e]{16,512}$/.test(value.reveal()) ? null : 'must be 16 to 512 visible ASCII characters',
);

const tokenName: Bound<string> = bound('1–64 of A-Z a-z 0-9 _ . -, not `anonymous`', (value) => {
  if (value === 'anonymous') return 'must not be "anonymous"';
  return /^[A-Za-z0-9_.-]{1,64}$/.test(value) ? null : 'must be 1 to 64 characters of A-Z a-z 0-9 _ . -';
});

const tokenApps: Bound<readonly string[]> = bound('not empty; `*` alone', (apps) => {
  if (apps.length === 0 || apps.includes('')) return 'must not be empty';
  return apps.includes('*') && apps.length > 1 ? '"*" must be the only entry' : null;
});

const tokens = rows({
  row: table({
    name: string({ default: '', bounds: [tokenName], meaning: 'Name of the principal; unique' }),
    token: secret({
      default: '',
      bounds: [tokenText],
      meaning: 'The bearer token; 32 characters in production',
    }),
    scopes: list({ default: [], bounds: [notEmpty, subsetOf(MCP_SCOPES)], meaning: 'What it may do' }),
    apps: list({ default: [], bounds: [tokenApps], meaning: 'Apps it may see; `*` = all' }),
  }),
  specialEnv: ['MCP_TOKEN', 'MCP_TOKEN_NAME', 'MCP_TOKEN_SCOPES', 'MCP_TOKEN_APPS'],
  meaning: 'Bearer tokens; the variables append one',
});

export const mcp = table({
  enabled: bool({ default: false, env: 'MCP_ENABLED', meaning: 'Serve the tool protocol' }),
  path: string({
    default: '/mcp',
    env: 'MCP_PATH',
    bounds: [mcpPath],
    meaning: 'Path of the endpoint; one trailing `/` is removed',
  }),
  port: optional(
    u16({
      default: null,
      env: 'MCP_PORT',
      bounds: [portBound('1–65535; not the main or metrics port')],
      meaning: 'Own listener; unset = the main one',
    }),
  ),
  host: derived(
    string({
      default: null,
      bounds: [bound('not empty', () => null)],
      env: 'MCP_HOST',
      meaning: 'Bind address of the own listener',
    }),
    '`host`',
  ),
  allowed_hosts: list({
    default: [],
    env: 'MCP_ALLOWED_HOSTS',
    bounds: [each(allowedHost)],
    meaning: 'Accepted `Host` headers; empty = by listener and token',
  }),
  allowed_origins: list({
    default: [],
    env: 'MCP_ALLOWED_ORIGINS',
    bounds: [each(allowedOrigin)],
    meaning: 'Accepted `Origin` headers; empty = loopback only',
  }),
  allow_anonymous: bool({
    default: false,
    env: 'MCP_ALLOW_ANONYMOUS',
    bounds: [bound('not in production', () => null)],
    meaning: 'Serve without a token',
  }),
  anonymous_scopes: list({
    default: ['read'],
    env: 'MCP_ANONYMOUS_SCOPES',
    bounds: [notEmpty, subsetOf(MCP_SCOPES)],
    meaning: 'What may be done without a token',
  }),
  request_timeout_ms: u64({
    default: 30_000,
    min: 100,
    max: 600_000,
    unit: 'ms',
    env: 'MCP_REQUEST_TIMEOUT_MS',
    meaning: 'Time one call may take',
  }),
  max_body_bytes: u64({
    default: 1_048_576,
    min: 1024,
    max: 67_108_864,
    unit: 'bytes',
    env: 'MCP_MAX_BODY_BYTES',
    meaning: 'Largest request body',
  }),
  session_ttl_seconds: u64({
    default: 1800,
    min: 10,
    max: 86_400,
    unit: 's',
    env: 'MCP_SESSION_TTL_SECONDS',
    meaning: 'Silence after which a session ends',
  }),
  rate_limit_per_minute: u64({
    default: 600,
    env: 'MCP_RATE_LIMIT_PER_MINUTE',
    meaning: 'Requests of one token; 0 = no limit',
  }),
  disabled_tools: list({
    default: [],
    env: 'MCP_DISABLED_TOOLS',
    bounds: [subsetOf(MCP_TOOLS)],
    meaning: 'Tools that are not offered',
  }),
  toolsets: list({
    default: [ALL_TOOLSETS],
    env: 'MCP_TOOLSETS',
    bounds: [notEmpty, subsetOf([ALL_TOOLSETS, ...Object.keys(MCP_TOOLSETS)])],
    meaning: 'Groups of tools that `tools/list` shows; `enable_toolset` adds others to a session',
  }),
  max_result_tokens: u64({
    default: 20_000,
    unit: 'tokens',
    env: 'MCP_MAX_RESULT_TOKENS',
    meaning: 'Size to which pages of results are shortened; 0 = no limit below 1 MiB',
  }),
  text_results: bool({
    default: true,
    env: 'MCP_TEXT_RESULTS',
    meaning: 'Repeat structured results as text, for clients that read text only',
  }),
  instructions: optional(
    string({
      default: null,
      env: 'MCP_INSTRUCTIONS',
      bounds: [instructions],
      meaning: 'Text for the model instead of the built-in one',
    }),
  ),
  tokens,
});
