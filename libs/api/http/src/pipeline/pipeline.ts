import type { App } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import type { AnyInput, Done, Operation } from '@carillon/api-operations';
import type { Logger } from '@carillon/runtime';
import {
  parseSignedQuery,
  SignatureMismatch,
  verifySignedHead,
  verifySignedRequest,
  type SignedQuery,
} from '@carillon/auth';
import type { HttpRequest, HttpResponse } from '@carillon/uws';
import { bearerOf, bearerQuery, type BearerTokens } from './bearer.js';
import { Exchange } from './exchange.js';
import { inputOfRequest } from './input.js';
import type { AppsByKey, KnownApps } from './known-apps.js';

export interface PipelineParts {
  readonly apps: AppsByKey;
  readonly known: KnownApps;
  readonly tokens: Pick<BearerTokens, 'admit'>;
  readonly log: Logger;
  /** Unix time in seconds. */
  readonly nowSeconds: () => number;
}

type AnyOperation = Operation<AnyInput, unknown>;
type Answer = Done<unknown> | Promise<Done<unknown>>;

const NO_BODY = new Uint8Array(0);
const SMALL_BODY_BYTES = 16 * 1024;

/**
 * The way of a signed request: its app, the signature over the raw bytes, the operation. The adapter has matched the
 * route, limited the address and read the body before. Nothing is waited for when the app is known and the operation
 * is done at once, so that a publish on one process is answered in the callback that brought its last byte.
 */
export class Pipeline {
  constructor(private readonly parts: PipelineParts) {}

  /**
   * Returns the operation as a fast route, which answers every request exactly once and never throws. `takesTokens`: a capability
   * token admits a request as a signature does.
   */
  serve(
    operation: AnyOperation,
    takesTokens: boolean,
  ): (request: HttpRequest, response: HttpResponse) => void {
    return (request, response) => {
      const exchange = new Exchange(request, response, this.parts.log);
      try {
        const token = takesTokens ? bearerOf(request) : null;
        if (token !== null) return exchange.end(this.#performAs(operation, exchange, token));
        const query = parseSignedQuery(request.rawQuery);
        const app = this.parts.apps.peekByKey(query.authKey);
        exchange.end(
          app === undefined
            ? this.#lookUpAndPerform(operation, exchange, query)
            : this.#perform(operation, exchange, query, app),
        );
      } catch (error) {
        exchange.fail(error);
      }
    };
  }

  /**
   * Verifies the signature before a large body is read. Small bodies are read first and verified once, which costs
   * less than verifying twice.
   */
  entrance(request: HttpRequest, response: HttpResponse, takesTokens: boolean): void | Promise<void> {
    if (Number(request.header('content-length') ?? Infinity) <= SMALL_BODY_BYTES) return undefined;
    const exchange = new Exchange(request, response, this.parts.log);
    try {
      const token = takesTokens ? bearerOf(request) : null;
      if (token !== null)
        return this.#admit(request, token).then(
          () => undefined,
          (error: unknown) => exchange.fail(error),
        );
      const query = parseSignedQuery(request.rawQuery);
      const app = this.parts.apps.peekByKey(query.authKey);
      const checked =
        app === undefined
          ? lookUp(this.parts.apps, query.authKey).then((found) => this.#checkHead(request, query, found))
          : this.#checkHead(request, query, app);
      return checked?.catch((error: unknown) => exchange.fail(error));
    } catch (error) {
      return exchange.fail(error);
    }
  }

  #checkHead(request: HttpRequest, query: SignedQuery, app: App | null): void | Promise<void> {
    const { known, nowSeconds } = this.parts;
    const { method, rawPath, routedPath } = request;
    const check = (one: App | null): void => {
      const key = one === null ? null : known.of(one).signingKey;
      verifySignedHead(query, { method, rawPath, routedPath }, key, nowSeconds());
    };
    return this.#checked(app, check)?.then(() => undefined);
  }

  /**
   * Checks a signature with the app as this process knows it, and where no known secret matches with the app as the
   * store holds it now. Undefined: the first check succeeded.
   */
  #checked(app: App | null, check: (app: App | null) => void): Promise<App> | undefined {
    try {
      check(app);
      return undefined;
    } catch (error) {
      const fresh =
        app !== null && error instanceof SignatureMismatch ? this.parts.apps.fresh(app.id) : undefined;
      if (fresh === undefined) throw error;
      return freshApp(fresh, error, check);
    }
  }

  async #lookUpAndPerform(
    operation: AnyOperation,
    exchange: Exchange,
    query: SignedQuery,
  ): Promise<Done<unknown>> {
    const app = await lookUp(this.parts.apps, query.authKey);
    if (app === null) throw new ServiceError('auth_failed', { text: 'auth_key is unknown' });
    return this.#perform(operation, exchange, query, app);
  }

  #perform(operation: AnyOperation, exchange: Exchange, query: SignedQuery, app: App): Answer {
    const { known, nowSeconds } = this.parts;
    const { request } = exchange;
    const { method, rawPath, routedPath, rawBody: body = NO_BODY } = request;
    const check = (one: App | null): void => {
      const key = one === null ? null : known.of(one).signingKey;
      verifySignedRequest(query, { method, rawPath, routedPath, body }, key, nowSeconds());
    };
    const perform = (one: App): Answer => {
      const knownApp = known.of(one);
      exchange.belongsTo(knownApp);
      return operation.perform(
        knownApp.caller,
        inputOfRequest(operation.description, request, query.parameters),
      );
    };
    const checked = this.#checked(app, check);
    return checked === undefined ? perform(app) : checked.then(perform);
  }

  async #performAs(operation: AnyOperation, exchange: Exchange, token: string): Promise<Done<unknown>> {
    const { request } = exchange;
    const query = bearerQuery(request.rawQuery);
    const { app, caller } = await this.#admit(request, token);
    exchange.belongsTo(this.parts.known.of(app));
    return operation.perform(caller, inputOfRequest(operation.description, request, query));
  }

  #admit({ params }: HttpRequest, token: string) {
    return this.parts.tokens.admit(token, params['appId'] ?? '');
  }
}

/** Repeats a check that failed with `error` with the app as the store holds it now. */
async function freshApp(
  fresh: Promise<App | null>,
  error: unknown,
  check: (app: App | null) => void,
): Promise<App> {
  const app = await fresh.catch((cause: unknown) => {
    throw new ServiceError('service_unavailable', { text: 'app lookup unavailable', cause });
  });
  if (app === null) throw error;
  check(app);
  return app;
}

/** The registry's own text is for sockets too; here the table of the API fixes it. */
async function lookUp(apps: AppsByKey, authKey: string): Promise<App | null> {
  try {
    return await apps.findByKey(authKey);
  } catch (cause) {
    throw new ServiceError('service_unavailable', { text: 'app lookup unavailable', cause });
  }
}
