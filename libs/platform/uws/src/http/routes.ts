import { ServiceError } from '@carillon/errors';
import { type Answer, errorAnswer } from './answer.js';
import type { Endpoint } from './endpoint.js';
import { type Handler, MiddlewareStack } from './middleware.js';
import type { PathPrefix } from './path-prefix.js';
import type { HttpRequest } from './request.js';
import type { HttpResponse } from './response.js';
import { type Match, Router, withoutTrailingSlash } from './router.js';

/** Target of a path: handlers tried in order, or `socket` for upgrades only. */
export interface HandledTarget {
  readonly handlers: Handler[];
  readonly entrance: Entrance | null;
}
export type Target = HandledTarget | 'socket';

/** Checks a request with a body before it is read; answers those it refuses. A rejection becomes the answer. */
export type Entrance = (request: HttpRequest, response: HttpResponse) => void | Promise<void>;

/** Routes and middleware. One trailing slash is ignored everywhere. */
export class Routes {
  readonly #router = new Router<Target>();
  readonly #middleware = new MiddlewareStack();
  /** Handlers of everything at a path; looked up before routes. */
  readonly endpoints = new Map<string, Endpoint>();
  /** What answers a path and all paths below it; few, looked at after exact endpoints. */
  readonly trees: { readonly path: string; readonly below: string; readonly endpoint: Endpoint }[] = [];

  constructor(private readonly prefix: PathPrefix) {}

  /** Registers a handler; a second one for the same path and method runs when the first calls `next`. */
  add(method: string, path: string, handler: Handler, entrance: Entrance | null = null): void {
    const handlers = [handler];
    if (this.#router.add(method, path, { handlers, entrance })) return;
    this.#handlers(method, path).push(handler);
  }

  /** Registers a handler that is asked before those that the path has by then; they run when it calls `next`. */
  before(method: string, path: string, handler: Handler): void {
    if (this.#router.add(method, path, { handlers: [handler], entrance: null })) return;
    this.#handlers(method, path).unshift(handler);
  }

  /** Registers a path for upgrades only. False: the path is taken. */
  addSocket(path: string): boolean {
    return this.#router.add('GET', path, 'socket');
  }

  /** Asked before the handlers of a path, and, as a prefix, of everything below it. */
  mount(path: string, handler: Handler, isPrefix: boolean): void {
    this.#middleware.add(path, handler, isPrefix);
  }

  /** The endpoint of a path on the wire; null: routes answer it. */
  endpointOf(path: string): { readonly path: string; readonly endpoint: Endpoint } | null {
    const exact = this.endpoints.get(path);
    if (exact !== undefined) return { path, endpoint: exact };
    for (const tree of this.trees) if (path === tree.path || path.startsWith(tree.below)) return tree;
    return null;
  }

  /** Returns the full path of a route. */
  placed(route: string): string {
    return this.prefix.placed(route);
  }

  /** Finds the target of a request; null: none. */
  find(request: HttpRequest): Match<Target> | null {
    const path = this.routed(request);
    if (path === null) return null;
    const found = this.#router.find(request.method, path);
    return found === null && request.method === 'HEAD' ? this.#router.find('GET', path) : found;
  }

  /** Returns the path by which the route and the middleware of a request are found; null: outside of the prefix. */
  routed(request: HttpRequest): string | null {
    const path = this.prefix.routed(withoutTrailingSlash(request.rawPath));
    if (path !== null) request.routedPath = path;
    return path;
  }

  /** Returns middleware and handlers of a request, in order. */
  handlersOf({ routedPath }: HttpRequest, { handlers }: HandledTarget): readonly Handler[] {
    return this.#middleware.isEmpty ? handlers : [...this.#middleware.for(routedPath), ...handlers];
  }

  /** Answer for a request without a target: unknown route, or other methods. */
  missing(request: HttpRequest): Answer {
    const path = this.routed(request);
    const methods = path === null ? [] : this.#router.methods(path);
    if (methods.length === 0) return errorAnswer(new ServiceError('not_found'));
    const all = methods.includes('GET') ? [...new Set([...methods, 'HEAD'])].sort() : methods;
    return errorAnswer(new ServiceError('method_not_allowed', { headers: { allow: all.join(', ') } }));
  }

  #handlers(method: string, path: string): Handler[] {
    const { target } = this.#router.find(method, withoutTrailingSlash(path)) ?? {};
    return target === undefined || target === 'socket' ? [] : target.handlers;
  }
}
