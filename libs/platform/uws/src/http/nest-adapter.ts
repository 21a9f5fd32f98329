import { RequestMethod } from '@nestjs/common';
import { AbstractHttpAdapter } from '@nestjs/core';
import type { UwsServer } from '../server/uws-server.js';
import type { Dispatcher } from './dispatcher.js';
import type { Handler } from './middleware.js';
import { NodeServerStandIn } from './node-server.js';
import type { HttpRequest } from './request.js';
import type { HttpResponse } from './response.js';

/** Methods an `@All()` route answers. */
const ALL_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const unsupported = (what: string): never => {
  throw new Error(`${what} is not supported on this platform`);
};

/** Normalises a registration without a path. */
function pathAndHandler(first: string | Handler, second?: Handler): [string, Handler] {
  if (typeof first === 'function') return ['/', first];
  return second === undefined ? unsupported('a route without a handler') : [first, second];
}

/** Platform methods called by Nest's core, over the dispatcher. Unsupported ones throw. */
export abstract class NestAdapter extends AbstractHttpAdapter<NodeServerStandIn, HttpRequest, HttpResponse> {
  protected constructor(
    protected readonly server: UwsServer,
    protected readonly dispatcher: Dispatcher,
  ) {
    super();
    this.httpServer = new NodeServerStandIn(server);
  }

  // Registrations come with a path, or with a handler alone.

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
    this.dispatcher.routes.mount(path, handler, true);
  }

  override createMiddlewareFactory(method: RequestMethod): (path: string, callback: Function) => void {
    const isPrefix = (method as number) === -1;
    return (path, callback) => this.dispatcher.routes.mount(path, callback as Handler, isPrefix);
  }

  override listen(port: string | number, ...rest: unknown[]): void {
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    const host = typeof rest[0] === 'string' ? rest[0] : '0.0.0.0';
    void this.#listen(host, Number(port), done);
  }

  async #listen(host: string, port: number, done?: () => void): Promise<void> {
    try {
      if (this.server.address === null) await this.server.listen({ host, port });
      done?.();
    } catch (error) {
      this.httpServer.emit('error', error);
    }
  }

  override initHttpServer(): void {
    // The stand-in exists from the start: the server may already be listening.
  }

  override beforeClose(): void {
    this.dispatcher.refusesNew = true;
  }

  override close(): void {
    this.server.close();
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
    this.dispatcher.errorLayer = (error, request, response) => layer(error, request, response, () => {});
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
    for (const method of methods) this.dispatcher.routes.add(method, path, handler);
  }
}
