import type { App, AppRegistry } from '@carillon/app-registry';
import { ServiceError, toServiceError } from '@carillon/errors';
import { PUSH_ROUTES, type PushRoute, type PushService } from '@carillon/push';
import type { Logger, Metrics } from '@carillon/runtime';
import { parseSignedQuery, prepareSigningKey, verifySignedRequest } from '@carillon/signing';
import type { HttpRequest, HttpResponse, UwsHttpAdapter } from '@carillon/uws';
import { Call, type CallParts, type Reply } from './call.js';
import { pushEndpoints } from './endpoints.js';

export interface PushApiParts extends CallParts {
  readonly apps: Pick<AppRegistry, 'findByKey'>;
  readonly push: PushService;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const NO_BODY = new Uint8Array(0);

/** Puts the routes on the adapter: signature, capability, then what the route does. */
export function mountPushApi(adapter: UwsHttpAdapter, parts: PushApiParts): void {
  const endpoints = pushEndpoints(parts.push);
  for (const [name, route] of Object.entries(PUSH_ROUTES)) {
    const endpoint = endpoints[name as keyof typeof PUSH_ROUTES];
    const path = `/apps/:appId/push${route.path}`;
    adapter.fastRoute(route.method, path, (request, response) => {
      void answer(parts, route, endpoint, request, response);
    });
  }
}

/** Answers every request exactly once and never rejects. */
async function answer(
  parts: PushApiParts,
  route: PushRoute,
  endpoint: (call: Call) => Promise<Reply>,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  response.setHeader('Cache-Control', 'no-store');
  try {
    const { app, query } = await admitted(parts, request);
    const {
      status,
      body,
      headers = {},
    } = await endpoint(new Call(app, query, request, parts, route.forDevices));
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.statusCode = status;
    if (body === undefined) response.end();
    else response.end(JSON.stringify(body), 'application/json');
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (error.status >= 500) {
      parts.log.warn('push request failed', {
        route: request.route,
        code: error.code,
        error: error.cause ?? thrown,
      });
    }
    response.fail(error);
  }
}

async function admitted(
  { apps, metrics }: PushApiParts,
  request: HttpRequest,
): Promise<{ app: App; query: ReadonlyMap<string, string> }> {
  const query = parseSignedQuery(request.rawQuery);
  const app = await apps.findByKey(query.authKey).catch((cause: unknown) => {
    throw new ServiceError('service_unavailable', { text: 'app lookup unavailable', cause });
  });
  if (app === null) throw new ServiceError('auth_failed', { text: 'auth_key is unknown' });
  const { method, rawPath, rawBody: body = NO_BODY } = request;
  const key = prepareSigningKey({ appId: app.id, key: app.key, secret: app.record.secret.reveal() });
  verifySignedRequest(query, { method, rawPath, body }, key, Date.now() / 1000);
  metrics.counter('http_calls_received_total').for({ app_id: app.id }).add();
  if (!app.enabled) throw new ServiceError('forbidden', { text: 'app is disabled' });
  return { app, query: query.parameters };
}
