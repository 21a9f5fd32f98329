import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../logging/logger.js';
import { boundConnections } from './idle-connections.js';
import type { Metrics } from './metrics.js';

const RETRY_MS = 10_000;
const REQUEST_TIMEOUT_MS = 10_000;
const CHECK_MS = 1000;
const MAX_CONNECTIONS = 64;

/** The `metrics` section: where the scrape endpoint listens. */
export interface MetricsListenerOptions {
  readonly host: string;
  readonly port: number;
}

/**
 * Scrape endpoint: `GET /metrics` only. If its address is in use it logs an error and retries every 10 s; the process
 * continues and its readiness does not depend on it.
 */
export class MetricsListener {
  #server: Server | null = null;
  #retry: NodeJS.Timeout | null = null;
  #scrape: Promise<string> | null = null;
  #closed = false;

  constructor(
    private readonly options: MetricsListenerOptions,
    private readonly metrics: Metrics,
    private readonly log: Logger,
  ) {}

  /** Resolves after the first attempt, whether it listens or not. */
  async start(): Promise<void> {
    const server = createServer(
      {
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: CHECK_MS,
      },
      (request, response) => void this.#answer(request, response),
    );
    server.setTimeout(REQUEST_TIMEOUT_MS);
    boundConnections(server, MAX_CONNECTIONS);
    const failure = await listen(server, this.options);
    if (this.#closed) {
      server.close();
      return;
    }
    if (failure === null) {
      this.#server = server;
      server.on('error', (error) => this.log.error('metrics listener failed', { error }));
      return;
    }
    this.log.error('metrics listener cannot bind, trying again in 10 s', {
      error: failure,
      port: this.options.port,
    });
    this.#retry = setTimeout(() => void this.start(), RETRY_MS).unref();
  }

  /** The port that is listened on; null while none is. */
  get port(): number | null {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port ?? null;
  }

  /** Stops listening and trying; a running scrape is cut off. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    await new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (request.url ?? '').split('?');
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('not found');
      return;
    }
    try {
      const body = await this.#text();
      response.writeHead(200, {
        'content-type': this.metrics.contentType,
        'content-length': Buffer.byteLength(body),
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    } catch (error) {
      this.log.error('metrics could not be collected', { error });
      response.writeHead(500).end();
    }
  }

  /** Scrapes that come while one is being collected share it. */
  async #text(): Promise<string> {
    this.#scrape ??= this.metrics.text().finally(() => {
      this.#scrape = null;
    });
    return this.#scrape;
  }
}

/** Null once listening, else why not. */
function listen(server: Server, { host, port }: MetricsListenerOptions): Promise<Error | null> {
  return new Promise((done) => {
    server.once('error', done);
    server.listen({ host, port }, () => {
      server.off('error', done);
      done(null);
    });
  });
}
