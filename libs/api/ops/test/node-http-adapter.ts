import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { RequestMethod } from '@nestjs/common';
import { AbstractHttpAdapter } from '@nestjs/core';

type Handler = (
  request: IncomingMessage & { params?: Record<string, string> },
  response: ServerResponse,
) => unknown;

/** Minimal Nest HTTP platform on Node's server, to test the actual responses of controllers. */
export class NodeHttpAdapter extends AbstractHttpAdapter<Server, IncomingMessage, ServerResponse> {
  readonly #routes: { pattern: RegExp; handler: Handler }[] = [];

  override get(path: unknown, handler?: unknown): void {
    const pattern = String(path).replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
    this.#routes.push({ pattern: new RegExp(`^${pattern}/?$`), handler: handler as Handler });
  }

  override initHttpServer(): void {
    this.httpServer = createServer((request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      for (const { pattern, handler } of this.#routes) {
        const match = path.match(pattern);
        if (match === null) continue;
        void handler(Object.assign(request, { params: { ...match.groups } }), response);
        return;
      }
      response.writeHead(404).end('no route');
    });
  }

  override listen(port: unknown, ...rest: unknown[]): Server {
    return this.httpServer.listen(port as number, ...(rest as [string, () => void]));
  }

  override status(response: ServerResponse, statusCode: number): void {
    response.statusCode = statusCode;
  }

  override reply(response: ServerResponse, body: unknown, statusCode?: number): void {
    if (statusCode !== undefined) response.statusCode = statusCode;
    response.end(body);
  }

  override setHeader(response: ServerResponse, name: string, value: string): void {
    response.setHeader(name, value);
  }

  override getHeader(response: ServerResponse, name: string): unknown {
    return response.getHeader(name);
  }

  override appendHeader(response: ServerResponse, name: string, value: string): void {
    response.appendHeader(name, value);
  }

  override end(response: ServerResponse, message?: string): void {
    response.end(message);
  }

  override isHeadersSent(response: ServerResponse): boolean {
    return response.headersSent;
  }

  override close(): Promise<void> {
    this.httpServer.closeAllConnections();
    return new Promise((closed) => void this.httpServer.close(() => closed()));
  }

  override getType(): string {
    return 'node';
  }

  override getRequestHostname(): string {
    return 'localhost';
  }

  override getRequestMethod(request: IncomingMessage): string {
    return request.method ?? '';
  }

  override getRequestUrl(request: IncomingMessage): string {
    return request.url ?? '';
  }

  override createMiddlewareFactory(_method: RequestMethod): () => void {
    return () => undefined;
  }

  override useStaticAssets(): void {}
  override setViewEngine(): void {}
  override render(): void {}
  override redirect(): void {}
  override setErrorHandler(): void {}
  override setNotFoundHandler(): void {}
  override registerParserMiddleware(): void {}
  override enableCors(): void {}

  override applyVersionFilter(): never {
    throw new Error('routes are not versioned');
  }
}
