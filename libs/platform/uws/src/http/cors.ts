import type { FixedHeaders } from './response.js';

/** Cross-origin rules of the main listener. */
export interface CorsOptions {
  /** Every origin may read answers: `Access-Control-Allow-Origin: *`. Credentials are then never allowed. */
  readonly anyOrigin: boolean;
  /** Whether this origin may read answers; not asked when {@link anyOrigin}. */
  readonly matches: (origin: string) => boolean;
  readonly methods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly credentials: boolean;
}

/** Response headers a browser may read unless a build adds its own. */
export const EXPOSED_HEADERS: readonly string[] = [
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Idempotency-Replayed',
];

const PREFLIGHT_VARY = 'origin, access-control-request-method, access-control-request-headers';

/** The headers CORS adds to answers, worked out once as far as they do not depend on the origin. */
export class Cors {
  readonly #options: CorsOptions;
  readonly #any: FixedHeaders;
  readonly #lists: FixedHeaders;
  readonly #exposed: FixedHeaders;

  constructor(options: CorsOptions) {
    this.#options = options;
    const exposed = options.exposedHeaders.join(', ');
    this.#exposed = exposed === '' ? [] : ['access-control-expose-headers', exposed];
    this.#any = ['access-control-allow-origin', '*', ...this.#exposed];
    this.#lists = [
      'access-control-allow-methods',
      options.methods.join(', '),
      'access-control-allow-headers',
      options.allowedHeaders.join(', '),
      'vary',
      PREFLIGHT_VARY,
    ];
  }

  /** For an ordinary answer, errors included. An origin that does not match gets no permission. */
  headersFor(origin: string | undefined): FixedHeaders {
    if (this.#options.anyOrigin) return this.#any;
    return [...this.#permission(origin), 'vary', 'origin'];
  }

  /** For the answer to `OPTIONS`. */
  preflightFor(origin: string | undefined): FixedHeaders {
    if (this.#options.anyOrigin) return ['access-control-allow-origin', '*', ...this.#lists];
    return [...this.#permission(origin), ...this.#lists];
  }

  #permission(origin: string | undefined): FixedHeaders {
    if (origin === undefined || origin === '' || !this.#options.matches(origin)) return [];
    const permission = ['access-control-allow-origin', origin, ...this.#exposed];
    return this.#options.credentials
      ? [...permission, 'access-control-allow-credentials', 'true']
      : permission;
  }
}
