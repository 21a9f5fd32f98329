import { setTimeout as pause } from 'node:timers/promises';
import type { IggyAddress, IggyServer } from './address.js';
import { IggyRefused, IggyUnavailable } from './failures.js';
import { type HttpAnswer, HttpConnections, type HttpLimits, type HttpRequest } from './http.js';

export interface IggyClientOptions extends HttpLimits {
  readonly address: IggyAddress;
  /** Settings named in errors, such as `queue.iggy`. */
  readonly block: string;
  /** Time for which servers are tried if none answers. */
  readonly failoverTimeoutMs: number;
}

interface Token {
  readonly text: string;
  /** From then on it is refreshed before use. */
  readonly refreshAtMs: number;
}

const UNAUTHORIZED = 401;
const SERVICE_UNAVAILABLE = 503;
const FAILOVER_PAUSE_MS = 100;
/** Part of a token's life after which it is refreshed. */
const REFRESH_AFTER = 0.5;
const SHORTEST_LIFE_MS = 1000;

/**
 * Requests to the HTTP API of Iggy. Logs in and refreshes the token before it expires. If a server does not answer,
 * the others are tried in turn until the failover timeout: a write may then happen twice.
 */
export class IggyClient {
  readonly #http: HttpConnections;
  #server: IggyServer;
  #token: Token | null = null;
  #entering: Promise<Token> | null = null;
  #isClosed = false;

  constructor(private readonly options: IggyClientOptions) {
    this.#http = new HttpConnections(options);
    this.#server = options.address.servers[0];
  }

  /** Resolves with the decoded answer. Rejects with `IggyUnavailable` or `IggyRefused`. */
  async request(
    method: HttpRequest['method'],
    path: string,
    body?: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.#withFailover(async () => {
      const token = await this.#entered();
      const request = { method, path, ...(body === undefined ? {} : { body }) };
      const answer = await this.#send({ ...request, token: token.text });
      if (answer.status !== UNAUTHORIZED) return decoded(answer, path);
      // Another server, or a restarted one, may not know the token.
      if (this.#token === token) this.#token = null;
      return decoded(await this.#send({ ...request, token: (await this.#entered()).text }), path);
    });
  }

  /** Resolves when a server answers. */
  async ping(): Promise<void> {
    await this.#withFailover(async () => {
      const answer = await this.#send({ method: 'GET', path: '/ping', token: null });
      decoded({ ...answer, text: '' }, '/ping');
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#http.close();
  }

  async #withFailover<Result>(attempt: () => Promise<Result>): Promise<Result> {
    const deadlineMs = performance.now() + this.options.failoverTimeoutMs;
    for (;;) {
      if (this.#isClosed) throw new IggyUnavailable('the client was closed');
      const server = this.#server;
      try {
        return await attempt();
      } catch (error) {
        if (!isTransient(error) || this.#isClosed) throw error;
        if (performance.now() + FAILOVER_PAUSE_MS >= deadlineMs) throw error;
        this.#next(server);
      }
      await pause(FAILOVER_PAUSE_MS);
    }
  }

  /** Unless another request has moved on before. */
  #next(failed: IggyServer): void {
    if (this.#server !== failed) return;
    const { servers } = this.options.address;
    this.#server = servers[(servers.indexOf(failed) + 1) % servers.length] ?? servers[0];
    this.#token = null;
  }

  #send(request: HttpRequest): Promise<HttpAnswer> {
    return this.#http.send(this.#server, request);
  }

  async #entered(): Promise<Token> {
    const token = this.#token;
    if (token !== null && Date.now() < token.refreshAtMs) return token;
    this.#entering ??= (token === null ? this.#login() : this.#refresh(token)).finally(
      () => (this.#entering = null),
    );
    this.#token = await this.#entering;
    return this.#token;
  }

  async #login(): Promise<Token> {
    const { username, password } = this.options.address;
    const body = JSON.stringify({ username, password });
    const answer = await this.#send({ method: 'POST', path: '/users/login', body, token: null });
    if (answer.status >= 400 && answer.status < 500) {
      const { code } = errorOf(answer.text);
      const { host, port } = this.#server;
      const { block } = this.options;
      throw new IggyRefused(
        answer.status,
        code,
        `Iggy at ${host}:${port} refuses user "${username}" (HTTP ${answer.status} ${code}); set ${block}.username and ${block}.password`,
      );
    }
    return tokenOf(decoded(answer, '/users/login'));
  }

  /** Falls back to a login where the server does not refresh. */
  async #refresh(token: Token): Promise<Token> {
    const body = JSON.stringify({ token: token.text });
    const answer = await this.#send({ method: 'POST', path: '/users/refresh-token', body, token: null });
    return answer.status >= 400 ? this.#login() : tokenOf(decoded(answer, '/users/refresh-token'));
  }
}

const isTransient = (error: unknown): boolean =>
  error instanceof IggyUnavailable || (error instanceof IggyRefused && error.status === SERVICE_UNAVAILABLE);

function decoded({ status, text }: HttpAnswer, path: string): Readonly<Record<string, unknown>> {
  if (status >= 200 && status < 300) {
    try {
      const value: unknown = text === '' ? {} : JSON.parse(text);
      return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
    } catch {
      throw new IggyUnavailable(`${path}: the answer is no JSON`);
    }
  }
  const { code, reason } = errorOf(text);
  throw new IggyRefused(status, code, `${path}: HTTP ${status} ${code}${reason === '' ? '' : `: ${reason}`}`);
}

function errorOf(text: string): { code: string; reason: string } {
  try {
    const { code, reason } = JSON.parse(text) as { code?: unknown; reason?: unknown };
    return {
      code: typeof code === 'string' ? code : 'error',
      reason: typeof reason === 'string' ? reason : '',
    };
  } catch {
    return { code: 'error', reason: text.slice(0, 200) };
  }
}

/** The expiry is in seconds since 1970. */
function tokenOf(answer: Readonly<Record<string, unknown>>): Token {
  const { token, expiry } = (answer['access_token'] ?? {}) as { token?: unknown; expiry?: unknown };
  if (typeof token !== 'string') throw new IggyUnavailable('the login answer has no access token');
  const lifeMs =
    typeof expiry === 'number' ? Math.max(SHORTEST_LIFE_MS, expiry * 1000 - Date.now()) : Infinity;
  return { text: token, refreshAtMs: Date.now() + lifeMs * REFRESH_AFTER };
}
