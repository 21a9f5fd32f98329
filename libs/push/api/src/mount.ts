import type { App, AppRegistry } from '@carillon/app-registry';
import { ServiceError, toServiceError } from '@carillon/errors';
import { PUSH_ROUTES, type PushOperations, type PushRoute, type PushRouteName } from '@carillon/push-core';
import type { Logger, Metrics } from '@carillon/runtime';
import { parseSignedQuery, prepareSigningKey, verifySignedRequest } from '@carillon/auth';
import type { HttpRequest, HttpResponse, UwsHttpAdapter } from '@carillon/uws';
import { inputOf } from './call.js';

export interface PushApiParts {
  readonly apps: Pick<AppRegistry, 'findByKey'>;
  readonly push: PushOperations;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const NO_BODY = new Uint8Array(0);

/** Sent to clients that requested a synchronous publish. */
const FORCED_ASYNC = ['X-Service-Forced-Async', 'publish-api-is-async'] as const;

/** Puts the routes on the adapter: signature, then the operation. */
export function mountPushApi(adapter: UwsHttpAdapter, parts: PushApiParts): void {
  for (const [name, route] of Object.entries(PUSH_ROUTES)) {
    adapter.fastRoute(route.method, `/apps/:appId/push${route.path}`, (request, response) => {
      void answer(parts, name as PushRouteName, route, request, response);
    });
  }
}

/** Answers every request exactly once and never rejects. */
async function answer(
  parts: PushApiParts,
  name: PushRouteName,
  { status }: PushRoute,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  response.setHeader('Cache-Control', 'no-store');
  try {
    const { app, query } = await admitted(parts, request);
    const { value, isForcedAsync } = await parts.push.perform(name, inputOf(app, query, request));
    if (isForcedAsync === true) response.setHeader(...FORCED_ASYNC);
    response.statusCode = status;
    if (value === undefined) response.end();
    else response.end(JSON.stringify(value), 'application/json');
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
  const { method, rawPath, routedPath, rawBody: body = NO_BODY } = request;
  const key = prepareSigningKey({ appId: app.id, key: app.key, secret: app.record.secret.reveal() });
  verifySignedRequest(query, { method, rawPath, routedPath, body }, key, Date.now() / 1000);
  metrics.counter('http_calls_received_total').for({ app_id: app.id }).add();
  return { app, query: query.parameters };
}
