import { ServiceError } from '@carillon/errors';
import { type Answer, errorAnswer } from './answer.js';
import type { Endpoint } from './endpoint.js';
import { type Handler, MiddlewareStack } from './middleware.js';
import type { PathPrefix } from './path-prefix.js';
import type { HttpRequest } from './request.js';
import type { HttpResponse } from './response.js';
import { type Match, Router, withoutTrailingSlash } from './router.js';

/** What answers a path: handlers tried in order, or `socket` when only an upgrade does. */
export interface HandledTarget {
  readonly handlers: Handler[];
  readonly entrance: Entrance | null;
}
export type Target = HandledTarget | 'socket';

/**
 * What looks at a request that brings a body, before it is read; one it refuses it answers itself. A promise that rejects
 * becomes the answer.
 */
export type Entrance = (request: HttpRequest, response: HttpResponse) => void | Promise<void>;

/** What answers which path, and what is asked before. One trailing slash is ignored everywhere. */
export class Routes {
  readonly #router = new Router<Target>();
  readonly #middleware = new MiddlewareStack();
  /** What answers everything at a path itself; looked at before routes. */
  readonly endpoints = new Map<string, Endpoint>();

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

  /** Only upgrades are answered there. False: something else is there already. */
  addSocket(path: string): boolean {
    return this.#router.add('GET', path, 'socket');
  }

  /** Asked before the handlers of a path, and, as a prefix, of everything below it. */
  mount(path: string, handler: Handler, isPrefix: boolean): void {
    this.#middleware.add(path, handler, isPrefix);
  }

  /** Where a route is on the wire. */
  placed(route: string): string {
    return this.prefix.placed(route);
  }

  /** What answers a request; null: nothing does. */
  find(request: HttpRequest): Match<Target> | null {
    const path = this.routed(request);
    if (path === null) return null;
    const found = this.#router.find(request.method, path);
    return found === null && request.method === 'HEAD' ? this.#router.find('GET', path) : found;
  }

  /** The path by which the route of a request is found, and its middleware; null: no route is there. */
  routed(request: HttpRequest): string | null {
    const path = this.prefix.routed(withoutTrailingSlash(request.rawPath));
    if (path !== null) request.routedPath = path;
    return path;
  }

  /** All that is asked for a request that is for this target, in order. */
  handlersOf({ routedPath }: HttpRequest, { handlers }: HandledTarget): readonly Handler[] {
    return this.#middleware.isEmpty ? handlers : [...this.#middleware.for(routedPath), ...handlers];
  }

  /** What is said where nothing answers: there is no such route, or it has other methods. */
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
