import type { App } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import type { Logger } from '@carillon/runtime';
import { parseSignedQuery, verifySignedRequest, type SignedQuery } from '@carillon/signing';
import type { HttpRequest, HttpResponse } from '@carillon/uws';
import type { Route } from '../describe/route.js';
import type { AppRate } from './app-rate.js';
import { Call, type Endpoint, type Reply } from './call.js';
import { Exchange } from './exchange.js';
import type { KnownApps } from './known-apps.js';
import { whenReady, type Ready } from './when-ready.js';

/** Where apps are looked up by `auth_key`. */
export interface AppsByKey {
  /** The app when it is known without asking anybody; undefined says nothing. */
  peekByKey(key: string): App | undefined;
  findByKey(key: string): Promise<App | null>;
}

export interface PipelineParts {
  readonly apps: AppsByKey;
  readonly known: KnownApps;
  readonly rate: AppRate;
  readonly log: Logger;
  /** Unix time in seconds. */
  readonly nowSeconds: () => number;
}

/** An endpoint and the window its calls count in. */
interface Served {
  readonly rate: Route['rate'];
  readonly endpoint: Endpoint;
}

const NO_BODY = new Uint8Array(0);

/**
 * The way of a signed request, in this order: signature over the raw bytes, enabled flag, per-app rate, endpoint. The
 * adapter has matched the route, limited the address and read the body before. Synchronous as long as nothing has to
 * be waited for, so that a publish on one process is answered in the callback that brought its last byte.
 */
export class Pipeline {
  constructor(private readonly parts: PipelineParts) {}

  /** The endpoint as the fast route that is described. Answers every request exactly once and never throws. */
  serve(
    route: Pick<Route, 'rate'>,
    endpoint: Endpoint,
  ): (request: HttpRequest, response: HttpResponse) => void {
    const served: Served = { rate: route.rate, endpoint };
    return (request, response) => {
      const exchange = new Exchange(request, response, this.parts.log);
      try {
        exchange.end(this.#reply(served, exchange));
      } catch (error) {
        exchange.fail(error);
      }
    };
  }

  #reply(served: Served, exchange: Exchange): Ready<Reply> {
    const query = parseSignedQuery(exchange.request.rawQuery);
    return whenReady(this.#find(query.authKey), (app) => this.#serve(served, exchange, query, app));
  }

  #find(authKey: string): Ready<App | null> {
    const { apps } = this.parts;
    return apps.peekByKey(authKey) ?? lookUp(apps, authKey);
  }

  #serve(served: Served, exchange: Exchange, query: SignedQuery, app: App | null): Ready<Reply> {
    if (app === null) throw new ServiceError('auth_failed', { text: 'auth_key is unknown' });
    const { known, nowSeconds } = this.parts;
    const { request } = exchange;
    const { method, rawPath, rawBody: body = NO_BODY } = request;
    const knownApp = known.of(app);
    verifySignedRequest(query, { method, rawPath, body }, knownApp.signingKey, nowSeconds());
    exchange.belongsTo(knownApp);
    if (!app.enabled) throw new ServiceError('forbidden', { text: 'app is disabled' });
    const call = new Call(app, query.parameters, request);
    const { endpoint } = served;
    const waiting = this.#admit(served, call);
    return waiting === undefined ? endpoint.answer(call) : waiting.then(() => endpoint.answer(call));
  }

  #admit({ rate, endpoint }: Served, call: Call): Promise<void> | undefined {
    if (rate === null) return undefined;
    return this.parts.rate.admit(call.app, rate, () => endpoint.cost?.(call) ?? 1);
  }
}

/** The registry's own text is for sockets too; here the table of the API fixes it. */
async function lookUp(apps: AppsByKey, authKey: string): Promise<App | null> {
  try {
    return await apps.findByKey(authKey);
  } catch (cause) {
    throw new ServiceError('service_unavailable', { text: 'app lookup unavailable', cause });
  }
}
