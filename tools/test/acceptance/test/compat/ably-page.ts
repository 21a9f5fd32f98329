import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
/** Browser builds of the client, by its major version. */
const SCRIPTS = {
  2: join(dirname(require.resolve('ably')), 'ably.min.js'),
  1: join(dirname(require.resolve('ably-v1/package.json')), 'browser/static/ably.min.js'),
} as const;

/** A page that brings the browser build of the Ably client. */
export class AblyPage {
  private constructor(private readonly server: Server) {}

  static async serve(version: keyof typeof SCRIPTS): Promise<AblyPage> {
    const script = readFileSync(SCRIPTS[version]);
    const server = createServer((request, response) => {
      const isScript = request.url === '/ably.js';
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? script : '<!doctype html><title>bells</title><script src="/ably.js"></script>');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new AblyPage(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
