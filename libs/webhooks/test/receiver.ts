import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A received request. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  /** The exact bytes, as text. */
  readonly body: string;
  readonly socketPort: number;
}

type Reply = number | ((response: ServerResponse, received: Received) => void);

/** Customer server with scripted responses; the last one repeats. */
export class Receiver {
  readonly received: Received[] = [];
  replies: Reply[] = [200];
  url = '';
  /** Requests in progress, and their maximum so far. */
  running = 0;
  mostRunning = 0;

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    const server = createServer((request, response) => void receiver.#take(request, response));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return receiver;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    response.on('close', () => (this.running -= 1));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks).toString(),
      socketPort: request.socket.remotePort ?? 0,
    };
    this.received.push(received);
    const reply = this.replies.length > 1 ? this.replies.shift() : this.replies[0];
    if (typeof reply === 'function') reply(response, received);
    else response.writeHead(reply ?? 200).end('ignored');
  }
}
