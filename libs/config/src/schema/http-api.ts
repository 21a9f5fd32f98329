import {
  bool,
  bound,
  each,
  f64,
  list,
  matches,
  octal,
  optional,
  path,
  secret,
  string,
  table,
  u16,
  u32,
  u64,
} from '../kernel/index.js';
import { originPatternProblem } from '../apps/origin-pattern.js';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const ADMISSION_ENV = 'HTTP_API_ACCEPT_TRAFFIC';

const acceptTraffic = table({
  enabled: bool({
    default: false,
    env: `${ADMISSION_ENV}_ENABLED`,
    meaning: 'Refuse new connections while memory is short',
  }),
  memory_threshold: f64({
    default: 0.9,
    env: `${ADMISSION_ENV}_MEMORY_THRESHOLD`,
    bounds: [bound('> 0, ≤ 1', () => null)],
    meaning: 'Fraction of the memory limit from which new connections are refused',
  }),
  memory_limit_bytes: optional(
    u64({
      default: null,
      unit: 'bytes',
      env: `${ADMISSION_ENV}_MEMORY_LIMIT_BYTES`,
      bounds: [bound('> 0', () => null)],
      meaning: 'The memory limit; unset = the finite limit of the control group',
    }),
  ),
  sample_interval_ms: u64({
    default: 500,
    unit: 'ms',
    env: `${ADMISSION_ENV}_SAMPLE_INTERVAL_MS`,
    bounds: [bound('> 0', () => null)],
    meaning: 'Time between two looks at the memory in use',
  }),
});

export const httpApi = table({
  request_limit_in_mb: u32({ default: 10, min: 1, unit: 'MiB', meaning: 'Largest request body' }),
  usage_enabled: bool({
    default: true,
    env: 'HTTP_API_USAGE_ENABLED',
    meaning: 'Serve `/usage`, `/stats` and `/operator/stats`',
  }),
  accept_traffic: acceptTraffic,
});

export const cors = table({
  credentials: bool({
    default: true,
    env: 'CORS_CREDENTIALS',
    meaning: 'Allow credentials; forced off when any origin is `*` or the list is empty',
  }),
  origin: list({
    default: ['*'],
    bounds: [each(bound('an origin pattern', originPatternProblem))],
    env: 'CORS_ORIGINS',
    meaning: 'Origins that may call; empty = none',
  }),
  methods: list({
    default: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    bounds: [each(matches(TOKEN, 'an HTTP method'))],
    env: 'CORS_METHODS',
    meaning: 'Methods a cross-origin request may use',
  }),
  allowed_headers: list({
    default: [
      'Authorization',
      'Content-Type',
      'X-Requested-With',
      'Accept',
      'X-Pusher-Library',
      'X-Idempotency-Key',
      'Last-Event-ID',
      'Cache-Control',
      'Prefer',
      'x-service-push-capability',
      'x-service-device-identity-token',
      'x-service-rotate-device-identity-token',
      'traceparent',
      'tracestate',
      'baggage',
    ],
    bounds: [each(matches(TOKEN, 'a header name'))],
    env: 'CORS_HEADERS',
    meaning: 'Headers a cross-origin request may carry',
  }),
});

export const ssl = table({
  enabled: bool({ default: false, env: 'SSL_ENABLED', meaning: 'Serve TLS on the main listener' }),
  cert_path: path({
    default: '',
    env: 'SSL_CERT_PATH',
    bounds: [bound('must exist and parse when enabled', () => null)],
    meaning: 'PEM certificate chain',
  }),
  key_path: path({
    default: '',
    env: 'SSL_KEY_PATH',
    bounds: [bound('must exist and parse when enabled', () => null)],
    meaning: 'PEM private key of the certificate',
  }),
  passphrase: optional(secret({ default: null, meaning: 'Passphrase of the private key' })),
  ca_path: optional(string({ default: null, meaning: 'PEM certificates of further authorities' })),
  redirect_http: bool({
    default: false,
    env: 'SSL_REDIRECT_HTTP',
    bounds: [bound('needs ssl.enabled', () => null)],
    meaning: 'Answer plain HTTP with a redirect to HTTPS',
  }),
  http_port: u16({
    default: 80,
    min: 1,
    max: 65_535,
    env: 'SSL_HTTP_PORT',
    meaning: 'Port of the redirecting listener',
  }),
});

export const unixSocket = table({
  enabled: bool({
    default: false,
    env: 'UNIX_SOCKET_ENABLED',
    meaning: 'Serve on a Unix socket instead of the TCP main listener',
  }),
  path: path({
    default: '/var/run/service/service.sock',
    notEmpty: true,
    bounds: [
      bound('absolute, without ../ or ..\\', (value) => {
        if (value !== '' && !value.startsWith('/')) return 'must be an absolute path';
        return value.includes('../') || value.includes('..\\') ? 'must not contain ../ or ..\\' : null;
      }),
    ],
    env: 'UNIX_SOCKET_PATH',
    meaning: 'Where the socket is created',
  }),
  permission_mode: octal({
    default: '660',
    env: 'UNIX_SOCKET_PERMISSION_MODE',
    meaning: 'File mode of the socket',
  }),
});
