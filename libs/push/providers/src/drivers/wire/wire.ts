import { Limit } from '@carillon/http-client';
import { type WireOptions, WireRefused, type WireReply, type WireRequest } from './exchange.js';
import { Origin } from './origin.js';

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_ORIGINS = 64;

/**
 * POSTs over TLS: in HTTP/2 where the server speaks it, many requests on one connection, in HTTP/1.1 elsewhere.
 * Redirects are answers. Proxies of the environment are not used.
 */
export class Wire {
  readonly #options: WireOptions;
  /** The least recently used first. */
  readonly #origins = new Map<string, Origin>();
  #closed = false;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  /** Rejects with the transport failure, after 10 s at the latest; every HTTP status is a response. */
  async post(request: WireRequest, signal: AbortSignal): Promise<WireReply> {
    if (this.#closed) throw new WireRefused('closed');
    const limit = new Limit(REQUEST_TIMEOUT_MS, signal);
    try {
      return await this.#originOf(request.url).post(request, limit.signal);
    } finally {
      limit.release();
    }
  }

  get usage(): { connections: number; streams: number } {
    let [connections, streams] = [0, 0];
    for (const origin of this.#origins.values()) {
      connections += origin.connections;
      streams += origin.running;
    }
    return { connections, streams };
  }

  /** Closes connections with their running requests. */
  close(): void {
    this.#closed = true;
    for (const origin of this.#origins.values()) origin.close();
    this.#origins.clear();
  }

  #originOf(url: URL): Origin {
    const known = this.#origins.get(url.origin);
    if (known !== undefined) this.#origins.delete(url.origin);
    else this.#makeRoom();
    const origin = known ?? new Origin(url, this.#options);
    this.#origins.set(url.origin, origin);
    return origin;
  }

  /** Devices name origins: the longest unused one gives way, preferably one that has nothing to do. */
  #makeRoom(): void {
    if (this.#origins.size < MAX_ORIGINS) return;
    const idle = [...this.#origins].find(([, { running }]) => running === 0);
    if (idle === undefined) throw new WireRefused('too many servers at once');
    this.#origins.delete(idle[0]);
    idle[1].close();
  }
}
