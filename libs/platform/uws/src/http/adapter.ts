import type { ServiceError } from '@carillon/errors';
import type { UwsServer } from '../server/uws-server.js';
import type { SocketHandlers } from '../sockets/handlers.js';
import { SocketRoute } from '../sockets/socket-route.js';
import type { Message } from '../text.js';
import type { Answer } from './answer.js';
import { Cors, type CorsOptions } from './cors.js';
import type { Endpoint } from './endpoint.js';
import { Dispatcher, type ErrorWords, type FinishedObserver } from './dispatcher.js';
import type { Handler } from './middleware.js';
import { NestAdapter } from './nest-adapter.js';
import { PathPrefix } from './path-prefix.js';
import type { HttpRequest } from './request.js';
import type { HttpResponse } from './response.js';
import type { Entrance } from './routes.js';

/** Options of the HTTP adapter. */
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
  /** Called with each finished request; absent: not measured. */
  readonly onFinished?: FinishedObserver;
  /** Called with internal errors and their cause: unforeseen exceptions of HTTP and socket handlers. */
  readonly onFault?: (error: ServiceError, where: string) => void;
}

const DEFAULT_BODY_LIMIT_BYTES = 10 * 1024 * 1024;
const DEFAULT_BODY_ROOM_BYTES = 128 * 1024 * 1024;

/**
 * NestJS on a {@link UwsServer}. Created before Nest, so that the server may listen and answer {@link fastRoute}
 * probes while Nest is still starting; {@link gate} decides which other requests are answered then.
 * The native library handles some cases with bodies of its own: unparsable requests (400, 431 for a head over 64 KiB
 * in pieces, 505), heads that stay incomplete, have no `Host` or more than 100 headers (closed after 10 to 14
 * seconds, like idle connections and slow bodies). A client that ends its side before the answer counts as
 * disconnected, and so does one that pipelines onto a request that is still waiting: requests without a body whose
 * handlers only await resolved promises may be pipelined. On Node 20 the parser answers 505 if the request line
 * itself arrives in two pieces.
 */
export class UwsHttpAdapter extends NestAdapter {
  readonly #onFault: (error: ServiceError, where: string) => void;

  constructor(server: UwsServer, options: AdapterOptions = {}) {
    const bodyLimitBytes = options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
    const dispatcher = new Dispatcher({
      prefix: new PathPrefix(options.pathPrefix),
      bodyLimitBytes,
      bodyRoomBytes: options.bodyRoomBytes ?? Math.max(DEFAULT_BODY_ROOM_BYTES, 2 * bodyLimitBytes),
      trustHops: options.trustHops ?? 0,
      cors: options.cors === undefined ? null : new Cors(options.cors),
    });
    super(server, dispatcher);
    this.#onFault = options.onFault ?? (() => {});
    dispatcher.observer = options.onFinished ?? null;
    dispatcher.onFault = (error, request) => this.#onFault(error, request.route);
    server.onRequest(dispatcher.accept);
  }

  /**
   * Called first for every request and upgrade, before routing; an answer ends it. Only invalid requests (ambiguous
   * length) and non-upgrades on a socket route (426) are answered before. Null: all pass.
   */
  set gate(gate: ((request: HttpRequest) => Answer | null) | null) {
    this.dispatcher.gate = gate;
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
    this.dispatcher.admission = admission;
  }

  /** Names requests whose route answers them although new ones are refused, in a form that their clients understand. */
  set servesWhileRefusing(isServed: ((request: HttpRequest) => boolean) | null) {
    this.dispatcher.servesWhileRefusing = isServed;
  }

  /** Returns the seconds for which a browser may keep the answer to a preflight of a path; null: the browser's default. */
  set preflightMaxAge(maxAge: ((request: HttpRequest) => number | null) | null) {
    this.dispatcher.preflightMaxAge = maxAge;
  }

  /** For paths whose clients know errors in another form than that of the service. */
  set errorWords(words: ErrorWords | null) {
    this.dispatcher.errorWords = words;
  }

  /** Requests begun and not yet answered. */
  inFlight(): number {
    return this.dispatcher.inFlight;
  }

  /** Bytes of request bodies held now. */
  bodyBytes(): number {
    return this.dispatcher.bodyRoom.usedBytes;
  }

  /** Answers every new request with 503 and `Connection: close`; running ones continue. */
  refuseNew(): void {
    this.dispatcher.refusesNew = true;
  }

  /**
   * Registers a plain function for a hot route, with the same objects and rules but without Nest. The entrance checks
   * requests with a body before it is read, and answers those it refuses. A handler that calls `next` passes the
   * request to later registrations of the path.
   */
  fastRoute(method: string, path: string, handler: Handler, entrance?: Entrance): void {
    this.dispatcher.routes.add(method.toUpperCase(), path, handler, entrance);
  }

  /** Looks first at requests for a path that something else answers, which they are left to by calling `next`. */
  before(method: string, path: string, handler: Handler): void {
    this.dispatcher.routes.before(method.toUpperCase(), path, handler);
  }

  /** Registers the handler of everything at a path. One trailing slash is ignored. */
  endpoint(path: string, endpoint: Endpoint): void {
    this.dispatcher.routes.endpoints.set(path, endpoint);
  }

  /** Gives a path and everything below it to one endpoint, whose requests keep `rawPath`. */
  endpointTree(path: string, endpoint: Endpoint): void {
    this.dispatcher.routes.trees.push({ path, below: `${path}/`, endpoint });
  }

  /**
   * Lets a path speak WebSocket; a plain request there is answered 426, or, beside a page, with that page. One trailing
   * slash is ignored.
   */
  socketRoute<State>(path: string, handlers: SocketHandlers<State>, besidePage = false): void {
    const route = new SocketRoute(path, handlers, this.dispatcher, this.#onFault);
    const isFree = besidePage || this.dispatcher.routes.addSocket(path);
    if (!isFree) throw new Error(`GET ${path} is taken`);
    const behavior = route.behavior();
    const place = this.dispatcher.routes.placed(path);
    this.server.onSocket(place, behavior);
    this.server.onSocket(`${place}/`, behavior);
  }

  /** Sends to every socket of this process subscribed to the topic. False: no subscriber, or the server is closed. */
  publish(topic: string, message: Message, isBinary = false, compress = false): boolean {
    return this.server.publish(topic, message, isBinary, compress);
  }
}
