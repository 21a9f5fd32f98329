import { type Config, isProduction } from '@carillon/config';
import {
  COMMON_DESCRIPTIONS,
  DESCRIPTIONS,
  type AnyInput,
  type Operation,
  type Operations,
  Revocations,
} from '@carillon/api-operations';
import type { Cache } from '@carillon/cache';
import { WireNames } from '@carillon/protocol';
import type { RateLimit } from '@carillon/rate-limit';
import type { Logger, Metrics } from '@carillon/runtime';
import type { UwsHttpAdapter } from '@carillon/uws';
import { addressLimit } from './address-limit.js';
import { openApiText } from './document/openapi.js';
import { BearerTokens } from './pipeline/bearer.js';
import { KnownApps, type AppsByKey } from './pipeline/known-apps.js';
import { Pipeline } from './pipeline/pipeline.js';
import { routesOf } from './routes.js';

/** Dependencies of the HTTP API. */
export interface HttpApiParts {
  readonly config: Config;
  readonly apps: AppsByKey;
  /** Holds the revocations of capability tokens. */
  readonly cache: Pick<Cache, 'has'>;
  readonly operations: Operations;
  readonly rateLimit: RateLimit;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Unix time in seconds; absent: the clock. */
  readonly nowSeconds?: () => number;
}

const systemSeconds = (): number => Date.now() / 1000;

/** Puts every route of the API on the adapter, and the address limiter in front of them where it is configured. */
export function mountHttpApi(adapter: UwsHttpAdapter, parts: HttpApiParts): void {
  const { config, apps, cache, rateLimit, metrics, log, nowSeconds = systemSeconds } = parts;
  const { live, ...common } = parts.operations;
  const known = new KnownApps(metrics);
  const names = new WireNames(config.protocol.vendor_prefix);
  const tokens = new BearerTokens({ apps, known, names, nowSeconds, revocations: new Revocations(cache) });
  const pipeline = new Pipeline({ apps, known, tokens, log, nowSeconds });
  const operations: Readonly<Record<string, Operation<AnyInput, unknown>>> = { ...common, ...live };
  const routes = routesOf(live === null ? COMMON_DESCRIPTIONS : DESCRIPTIONS);
  for (const [name, route] of Object.entries(routes)) {
    const operation = operations[name];
    if (operation === undefined) throw new Error(`nothing carries ${name} out`);
    const path = `/apps/:appId${route.path}`;
    const { method, takesTokens } = route;
    adapter.fastRoute(method, path, pipeline.serve(operation, takesTokens), (request, response) =>
      pipeline.entrance(request, response, takesTokens),
    );
  }
  if (!isProduction(config)) serveDocument(adapter, openApiText(routes, config.path_prefix));
  if (config.rate_limiter.enabled) {
    adapter.admission = addressLimit(config.rate_limiter, rateLimit, metrics);
  }
}

/** Serves the OpenAPI document of this process, unsigned; in development only. */
function serveDocument(adapter: UwsHttpAdapter, text: string): void {
  adapter.fastRoute('GET', '/openapi.json', (_request, response) => response.end(text, 'application/json'));
}
