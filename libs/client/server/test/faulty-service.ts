import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { CarillonServer, type Options } from '../src/index.js';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** Reaction of a service to one request. */
export type Reaction = (response: ServerResponse, request: IncomingMessage) => void;

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reaction =>
  (response) =>
    void response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

export const hangUp: Reaction = (response) => void response.socket?.destroy();
export const silence: Reaction = () => {};

/** A service with scripted reactions, one per request; the last one repeats. */
export async function faultyService(reactions: Reaction[], options: Options = {}) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://localhost');
      received.push({
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        body: Buffer.concat(chunks).toString(),
      });
      const reaction = reactions[Math.min(received.length, reactions.length) - 1];
      reaction?.(response, request);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(
    () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  const client = new CarillonServer(`http://key-1:secret-1@127.0.0.1:${port}/apps/1001`, options);
  return { client, received, port };
}
