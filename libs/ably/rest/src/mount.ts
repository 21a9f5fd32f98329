import { isProduction } from '@carillon/config';
import type { UwsHttpAdapter } from '@carillon/uws';
import { Entry } from './access.js';
import { openApiText } from './document/openapi.js';
import { errorWords } from './error-answer.js';
import { type Route, serve } from './exchange.js';
import { type CompatApiParts, handlersOf } from './handlers.js';
import type { CompatRoute } from './routes/route.js';
import { COMPAT_ROUTES, type CompatRouteName } from './routes/routes.js';

/** On paths that the service has too, a request with credentials is one of an Ably client. */
const bringsCredentials = ({
  query,
  header,
}: {
  query: Readonly<Record<string, string>>;
  header: string | undefined;
}): boolean =>
  header !== undefined || [query['key'], query['access_token'], query['accessToken']].some(Boolean);

/** Path of the description of the routes; public in development. */
const DOCUMENT_PATH = '/openapi-ably.json';

/** Puts the routes on the main listener. */
export function mountCompatApi(adapter: UwsHttpAdapter, parts: CompatApiParts): void {
  const { core, config, presence, rate, log, now = Date.now } = parts;
  adapter.errorWords = errorWords(config.mcp.path);
  const entry = new Entry(core, rate, (error) => log.error('request failed', { error }), now);
  const served = (route: Route) =>
    serve(route, entry.told, (request, status, bytes) => entry.answered(request, status, bytes));
  const handlers = handlersOf(parts, entry, now);
  const mounted = rowsOf(COMPAT_ROUTES).flatMap(([name, route]) => {
    const handler = handlers[name];
    return handler === undefined ? [] : [{ name, route, answer: served(handler) }];
  });
  for (const { name, route, answer } of mounted) {
    const { method, path, alias } = route;
    if (name === 'stats') beforeNativeStats(adapter, answer);
    else
      for (const one of alias === undefined ? [path] : [path, alias]) adapter.fastRoute(method, one, answer);
  }
  if (isProduction(config)) return;
  const described = Object.fromEntries(mounted.map(({ name, route }) => [name, route]));
  // Connections are let in by another room, in every process with sockets.
  const { connect } = COMPAT_ROUTES;
  const text = openApiText(presence === null ? described : { connect, ...described }, config.path_prefix);
  adapter.fastRoute('GET', DOCUMENT_PATH, (_request, response) => response.end(text, 'application/json'));
}

const rowsOf = (
  routes: Readonly<Record<CompatRouteName, CompatRoute>>,
): readonly (readonly [CompatRouteName, CompatRoute])[] =>
  Object.entries(routes) as [CompatRouteName, CompatRoute][];

function beforeNativeStats(adapter: UwsHttpAdapter, answer: ReturnType<typeof serve>): void {
  adapter.before('GET', '/stats', (request, response, next) => {
    if (bringsCredentials({ query: request.query, header: request.header('authorization') }))
      void answer(request, response);
    else next();
  });
}
