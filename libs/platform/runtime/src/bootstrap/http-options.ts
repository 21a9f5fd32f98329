import { type Config, matchesOrigin, parseOriginPattern } from '@carillon/config';
import {
  type AdapterOptions,
  type CorsOptions,
  EXPOSED_HEADERS,
  type FinishedObserver,
  type ServerOptions,
  type TcpPlace,
  type UnixSocketPlace,
} from '@carillon/uws';
import type { Metrics } from '../metrics/metrics.js';
import { FOLDED } from '../metrics/folded.js';
import { LABEL_VALUES } from '../metrics/label-values.js';
import type { HistogramSeries } from '../metrics/series.js';
import type { RuntimeParts } from '../runtime-module.js';

/** Far above the number of combinations of routes, methods and status classes. */
const MAX_FOUND = 1000;

const METHODS: ReadonlySet<string> = new Set(LABEL_VALUES.method);

/** TLS of the main listener; nothing when it is off. */
export function serverOptions({ ssl }: Config): ServerOptions {
  if (!ssl.enabled) return {};
  return {
    tls: {
      certPath: ssl.cert_path,
      keyPath: ssl.key_path,
      ...(ssl.passphrase === null ? {} : { passphrase: ssl.passphrase.reveal() }),
      ...(ssl.ca_path === null ? {} : { caPath: ssl.ca_path }),
    },
  };
}

/** Address of the main listener: a Unix socket replaces the port. */
export function mainPlace(
  { unix_socket, host, port }: Config,
  isShared: boolean,
): TcpPlace | UnixSocketPlace {
  if (!unix_socket.enabled) return { host, port, exclusive: !isShared };
  return { path: unix_socket.path, mode: Number.parseInt(unix_socket.permission_mode, 8) };
}

/** HTTP options of this process. */
export function adapterOptions({ config, logging, metrics }: RuntimeParts): AdapterOptions {
  const log = logging.for('service::ops');
  return {
    bodyLimitBytes: config.http_api.request_limit_in_mb * 1024 * 1024,
    pathPrefix: config.path_prefix,
    trustHops: config.rate_limiter.api_rate_limit.trust_hops,
    cors: corsOptions(config),
    onFinished: durationObserver(metrics),
    onFault: (error, route) => log.error('unexpected fault', { error: error.cause ?? error, route }),
  };
}

/** CORS headers of Ably clients in browsers. */
const COMPAT_HEADERS = {
  allowed: [
    'X-Ably-ClientId',
    'X-Ably-Version',
    'X-Ably-Lib',
    'X-Ably-DeviceToken',
    'Ably-Agent',
    'Ably-Version',
    'Ably-ClientId',
    'X-Idempotency-Key',
  ],
  exposed: ['Link', 'x-ably-errorcode', 'x-ably-errormessage'],
} as const;
const NO_HEADERS = { allowed: [], exposed: [] } as const;

function corsOptions({ cors, compat }: Config): CorsOptions {
  const more = compat.enabled ? COMPAT_HEADERS : NO_HEADERS;
  // Only patterns that parse get through validation.
  const patterns = cors.origin
    .map(parseOriginPattern)
    .flatMap((parsed) => ('pattern' in parsed ? [parsed.pattern] : []));
  return {
    anyOrigin: patterns.some(({ kind }) => kind === 'any'),
    matches: (origin) => matchesOrigin(patterns, origin),
    methods: cors.methods,
    allowedHeaders: [...new Set([...cors.allowed_headers, ...more.allowed])],
    exposedHeaders: [...EXPOSED_HEADERS, ...more.exposed],
    credentials: cors.credentials,
  };
}

/** Finding a series by its labels costs more than observing it; routes, methods and classes are few. */
function durationObserver(metrics: Metrics): FinishedObserver {
  const durations = metrics.histogram('http_request_duration_seconds');
  const found = new Map<string, HistogramSeries>();
  return (route, name, status, seconds) => {
    const method = METHODS.has(name) ? name : FOLDED;
    const key = `${method}${Math.floor(status / 100)}${route}`;
    let series = found.get(key);
    if (series === undefined) {
      series = durations.for({ route, method, status: statusClass(status) });
      if (found.size < MAX_FOUND) found.set(key, series);
    }
    series.observe(seconds);
  };
}

/** `aborted`: the client disconnected before the answer. */
const statusClass = (status: number): string => (status === 0 ? 'aborted' : `${Math.floor(status / 100)}xx`);
