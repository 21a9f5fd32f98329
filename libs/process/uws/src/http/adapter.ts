import type { ServiceError } from '@carillon/errors';
import { RequestMethod } from '@nestjs/common';
import { AbstractHttpAdapter } from '@nestjs/core';
import type { UwsServer } from '../server/uws-server.js';
import type { SocketHandlers } from '../sockets/handlers.js';
import { SocketRoute } from '../sockets/socket-route.js';
import type { Message } from '../text.js';
import type { Answer } from './answer.js';
import { Cors, type CorsOptions } from './cors.js';
import type { Endpoint } from './endpoint.js';
import { Dispatcher, type Entrance, type ErrorWords, type FinishedObserver } from './dispatcher.js';
import type { Handler } from './middleware.js';
import { NodeServerStandIn } from './node-server.js';
import { PathPrefix } from './path-prefix.js';
import type { HttpRequest } from './request.js';
import type { HttpResponse } from './response.js';

/** How the HTTP side behaves. */
export interface AdapterOptions {
  /** Largest request body; one byte more is 413. Default 10 MiB. */
  readonly bodyLimitBytes?: number;
  /** Bytes of all bodies together; a body that finds no room is 503. Default 128 MiB, and twice `bodyLimitBytes` at least. */
  readonly bodyRoomBytes?: number;
  /** Trusted proxies in front, see `clientAddress`. Default 0: only the peer counts. */
  readonly trustHops?: number;
  /** In front of routes below `/app` and `/apps`, and of no others. Absent or `/`: nothing. */
  readonly pathPrefix?: string;
  /** Absent: no CORS headers; `OPTIONS` is still answered 200. */
  readonly cors?: CorsOptions;
  /** Told of requests as they finish; absent, nothing is measured. */
  readonly onFinished?: FinishedObserver;
  /** Told of faults of ours, with their cause: unforeseen exceptions of HTTP and of socket handlers. */
  readonly onFault?: (error: ServiceError, where: string) => void;
}

const DEFAULT_BODY_LIMIT_BYTES = 10 * 1024 * 1024;
const DEFAULT_BODY_ROOM_BYTES = 128 * 1024 * 1024;

/** Methods an `@All()` route answers. */
const ALL_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const unsupported = (what: string): never => {
  throw new Error(`${what} is not supported on this platform`);
};

/** What a registration without a path means. */
function pathAndHandler(first: string | Handler, second?: Handler): [string, Handler] {
  if (typeof first === 'function') return ['/', first];
  return second === undefined ? unsupported('a route without a handler') : [first, second];
}

/**
 * NestJS on a {@link UwsServer}. Made before Nest, so that the server may listen and answer {@link fastRoute}
 * probes while Nest is still starting; {@link gate} decides what else is answered then.
 *
 * What the native library decides by itself, with bodies of its own: requests it cannot parse (400, 431 for a head
 * over 64 KiB in pieces, 505), heads that stay incomplete, have no `Host` or more than 100 headers (closed after 10
 * to 14 seconds, like idle connections and slow bodies). A client that ends its side before it has its answer is
 * taken for gone, and so is one that pipelines onto a request that is still waiting for something: requests whose
 * handlers only await finished promises may be pipelined. On Node 20 its parser answers 505 when the request line
 * itself comes in two pieces.
 */
export class UwsHttpAdapter extends AbstractHttpAdapter<NodeServerStandIn, HttpRequest, HttpResponse> {
  readonly #server: UwsServer;
  readonly #prefix: PathPrefix;
  readonly #dispatcher: Dispatcher;
  readonly #onFault: (error: ServiceError, where: string) => void;

  constructor(server: UwsServer, options: AdapterOptions = {}) {
    super();
    this.#server = server;
    this.#onFault = options.onFault ?? (() => {});
    const bodyLimitBytes = options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
    this.#prefix = new PathPrefix(options.pathPrefix);
    this.#dispatcher = new Dispatcher({
      prefix: this.#prefix,
      bodyLimitBytes,
      bodyRoomBytes: options.bodyRoomBytes ?? Math.max(DEFAULT_BODY_ROOM_BYTES, 2 * bodyLimitBytes),
      trustHops: options.trustHops ?? 0,
      cors: options.cors === undefined ? null : new Cors(options.cors),
    });
    this.#dispatcher.observer = options.onFinished ?? null;
    this.#dispatcher.onFault = (error, request) => this.#onFault(error, request.route);
    this.httpServer = new NodeServerStandIn(server);
    server.onRequest(this.#dispatcher.accept);
  }

  /**
   * Asked first for every request and upgrade, before its route is looked at; an answer ends it there. Only what is
   * no valid request (ambiguous length) or no upgrade on a socket route (426) is answered before. Null: all pass.
   */
  set gate(gate: ((request: HttpRequest) => Answer | null) | null) {
    this.#dispatcher.gate = gate;
  }

  /**
   * Asked once the route is known (`request.route`) and before the body is read: the place of the address limiter.
   * May set headers on the response; an answer ends the request. Upgrades do not pass here, they decide themselves.
   */
  set admission(
    admission:
      | ((request: HttpRequest, response: HttpResponse) => Answer | null | Promise<Answer | null>)
      | null,
  ) {
    this.#dispatcher.admission = admission;
  }

  /** For paths whose clients know errors in another form than that of the service. */
  set errorWords(words: ErrorWords | null) {
    this.#dispatcher.errorWords = words;
  }

  /** Requests begun and not yet answered. */
  inFlight(): number {
    return this.#dispatcher.inFlight;
  }

  /** Bytes of request bodies held now. */
  bodyBytes(): number {
    return this.#dispatcher.bodyRoom.usedBytes;
  }

  /** From now on every new request is answered 503 with `Connection: close`; those begun go on. */
  refuseNew(): void {
    this.#dispatcher.refusesNew = true;
  }

  /**
   * Registers a plain function for a hot route: the same objects and rules, without Nest in between. The entrance sees
   * requests that bring a body before it is read, and answers those it refuses. A handler that calls `next` leaves the
   * request to whatever is registered for the same path later.
   */
  fastRoute(method: string, path: string, handler: Handler, entrance?: Entrance): void {
    this.#dispatcher.route(method.toUpperCase(), path, handler, entrance);
  }

  /** Looks first at requests for a path that something else answers, which they are left to by calling `next`. */
  before(method: string, path: string, handler: Handler): void {
    this.#dispatcher.before(method.toUpperCase(), path, handler);
  }

  /** Gives a path to what answers everything there itself. One trailing slash is ignored. */
  endpoint(path: string, endpoint: Endpoint): void {
    this.#dispatcher.endpoints.set(path, endpoint);
  }

  /**
   * Lets a path speak WebSocket; a plain request there is answered 426, or, beside a page, with that page. One trailing
   * slash is ignored.
   */
  socketRoute<State>(path: string, handlers: SocketHandlers<State>, besidePage = false): void {
    const route = new SocketRoute(path, handlers, this.#dispatcher, this.#onFault);
    const isFree = besidePage || this.#dispatcher.router.add('GET', path, 'socket');
    if (!isFree) throw new Error(`GET ${path} is taken`);
    const behavior = route.behavior();
    const place = this.#prefix.placed(path);
    this.#server.onSocket(place, behavior);
    this.#server.onSocket(`${place}/`, behavior);
  }

  /** Sends to every socket of this process subscribed to the topic. False: nobody is, or the server is closed. */
  publish(topic: string, message: Message, isBinary = false, compress = false): boolean {
    return this.#server.publish(topic, message, isBinary, compress);
  }

  // What Nest's core calls. Registrations come with a path, or with a handler alone.

  override get(first: string | Handler, second?: Handler): void {
    this.#add(['GET'], first, second);
  }

  override post(first: string | Handler, second?: Handler): void {
    this.#add(['POST'], first, second);
  }

  override put(first: string | Handler, second?: Handler): void {
    this.#add(['PUT'], first, second);
  }

  override patch(first: string | Handler, second?: Handler): void {
    this.#add(['PATCH'], first, second);
  }

  override delete(first: string | Handler, second?: Handler): void {
    this.#add(['DELETE'], first, second);
  }

  override head(first: string | Handler, second?: Handler): void {
    this.#add(['HEAD'], first, second);
  }

  override all(first: string | Handler, second?: Handler): void {
    this.#add(ALL_METHODS, first, second);
  }

  /** Every `OPTIONS` request is a preflight here, so such a route could never run. */
  override options(): void {
    unsupported('an OPTIONS route');
  }

  override use(first: string | Handler, second?: Handler): void {
    const [path, handler] = pathAndHandler(first, second);
    this.#dispatcher.middleware.add(path, handler, true);
  }

  override createMiddlewareFactory(method: RequestMethod): (path: string, callback: Function) => void {
    const isPrefix = (method as number) === -1;
    return (path, callback) => this.#dispatcher.middleware.add(path, callback as Handler, isPrefix);
  }

  override listen(port: string | number, ...rest: unknown[]): void {
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    const host = typeof rest[0] === 'string' ? rest[0] : '0.0.0.0';
    void this.#listen(host, Number(port), done);
  }

  async #listen(host: string, port: number, done?: () => void): Promise<void> {
    try {
      if (this.#server.address === null) await this.#server.listen({ host, port });
      done?.();
    } catch (error) {
      this.httpServer.emit('error', error);
    }
  }

  override initHttpServer(): void {
    // The stand-in exists from the start: the server may be listening already.
  }

  override beforeClose(): void {
    this.refuseNew();
  }

  override close(): void {
    this.#server.close();
  }

  override getType(): string {
    return 'uws';
  }

  override getRequestHostname(request: HttpRequest): string {
    return (request.header('host') ?? '').replace(/:\d*$/, '');
  }

  override getRequestMethod(request: HttpRequest): string {
    return request.method;
  }

  override getRequestUrl(request: HttpRequest): string {
    return request.url;
  }

  override status(response: HttpResponse, statusCode: number): void {
    response.statusCode = statusCode;
  }

  override reply(response: HttpResponse, body: unknown, statusCode?: number): void {
    if (statusCode !== undefined) response.statusCode = statusCode;
    response.send(body);
  }

  override end(response: HttpResponse, message?: string): void {
    response.end(message);
  }

  override redirect(response: HttpResponse, statusCode: number, url: string): void {
    response.statusCode = statusCode;
    response.setHeader('location', url);
    response.end();
  }

  override isHeadersSent(response: HttpResponse): boolean {
    return response.finished;
  }

  override getHeader(response: HttpResponse, name: string): string | undefined {
    return response.getHeader(name);
  }

  override setHeader(response: HttpResponse, name: string, value: string): void {
    response.setHeader(name, value);
  }

  override appendHeader(response: HttpResponse, name: string, value: string): void {
    response.appendHeader(name, value);
  }

  override setErrorHandler(handler: Function): void {
    const layer = handler as (error: unknown, ...rest: unknown[]) => unknown;
    this.#dispatcher.errorLayer = (error, request, response) => layer(error, request, response, () => {});
  }

  override setNotFoundHandler(): void {
    // 404 and 405 are answered before any handler, with the one error body.
  }

  override registerParserMiddleware(): void {
    // Bodies are read by the dispatcher and parsed when first looked at.
  }

  override useStaticAssets(): void {
    unsupported('serving files');
  }

  override setViewEngine(): void {
    unsupported('a view engine');
  }

  override render(): void {
    unsupported('rendering');
  }

  override enableCors(): void {
    unsupported('enableCors(); give cors to the adapter instead:');
  }

  override applyVersionFilter(): never {
    return unsupported('versioning other than by path');
  }

  /** Paths are compared exactly, but for one trailing slash. */
  getRouteMatchingOptions(): {
    caseSensitive: boolean;
    ignoreTrailingSlash: boolean;
    removesTrailingSlash: boolean;
  } {
    return { caseSensitive: true, ignoreTrailingSlash: true, removesTrailingSlash: true };
  }

  #add(methods: readonly string[], first: string | Handler, second?: Handler): void {
    const [path, handler] = pathAndHandler(first, second);
    for (const method of methods) this.#dispatcher.route(method, path, handler);
  }
}
