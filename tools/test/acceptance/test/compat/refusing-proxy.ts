import { createServer, request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP proxy that refuses `Upgrade`, in front of one port or of several in turn. */
export class RefusingProxy {
  readonly #server: Server;
  /** Requests that asked for an upgrade. */
  refused = 0;
  #next = 0;

  constructor(private readonly targets: () => readonly number[]) {
    this.#server = createServer((request, response) => {
      const targets = this.targets();
      const port = targets[(this.#next += 1) % targets.length];
      const { method, url, headers } = request;
      const upstream = send({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        answer.on('error', () => response.destroy());
      });
      upstream.on('error', () => response.destroy());
      response.on('close', () => upstream.destroy());
      request.pipe(upstream);
    });
    this.#server.on('upgrade', (_request, socket) => {
      this.refused += 1;
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
  }

  /** Resolves with its port. */
  listen(): Promise<number> {
    return new Promise((done) => {
      this.#server.listen(0, '127.0.0.1', () => done((this.#server.address() as AddressInfo).port));
    });
  }

  /** Ends all connections; others may come. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}
