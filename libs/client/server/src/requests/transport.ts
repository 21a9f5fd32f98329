import {
  CarillonError,
  ConnectionError,
  errorOf,
  invalid,
  TimeoutError,
  UnavailableError,
} from '../errors.js';
import type { Call, Options, Target } from '../options.js';
import { bytesOf, Hmac } from './crypto.js';
import { signedPairs } from './signing.js';

export type Method = 'DELETE' | 'GET' | 'POST';

export interface ApiRequest extends Call {
  readonly method: Method;
  /** Below `/apps/{appId}`, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Whether a repetition has no second effect: it reads, or carries a key. */
  readonly idempotent: boolean;
}

const TIMEOUT_MS = 10_000;
const RETRIES = 2;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5000;

/** Sends signed requests, and repeats those that failed and may be repeated. */
export class Transport {
  readonly hmac: Hmac;
  readonly #fetch: typeof fetch;
  // Contains the secret, so it is neither printed nor serialized with the client.
  readonly #target: Target;

  constructor(
    target: Target,
    private readonly options: Options,
  ) {
    this.#target = target;
    this.hmac = new Hmac(target.secret);
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  get nowSeconds(): number {
    return Math.floor((this.options.clock ?? Date.now)() / 1000);
  }

  /** Resolves with the answer as the service wrote it. */
  async request(request: ApiRequest): Promise<unknown> {
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const { retries = RETRIES } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      request.signal?.throwIfAborted();
      try {
        return await this.#attempt(request, body, attempt);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (!(error instanceof CarillonError) || attempt > retries || !mayRepeat(error, request)) throw error;
        const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS) * Math.random();
        await pause(error.retryAfterMs ?? backoffMs, request.signal);
      }
    }
  }

  async #attempt(request: ApiRequest, body: string | undefined, attempt: number): Promise<unknown> {
    const { method, signal } = request;
    const { timeoutMs = this.options.timeoutMs ?? TIMEOUT_MS } = request;
    const path = `${new URL(this.#target.url).pathname.replace(/\/$/, '')}/apps/${encodeURIComponent(this.#target.appId)}${request.path}`;
    const about = { method, path, attempts: attempt };
    const cut = new AbortController();
    const abort = (): void => cut.abort(signal?.reason);
    const timer = setTimeout(() => cut.abort(), timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await this.#exchange(request, { path, body, attempt, signal: cut.signal });
    } catch (error) {
      if (error instanceof CarillonError) throw error;
      if (signal?.aborted === true) throw signal.reason;
      if (cut.signal.aborted) {
        const text = `${method} ${path}: no answer within ${timeoutMs} ms`;
        throw new TimeoutError(text, { ...about, status: null, code: 'timeout' }, true);
      }
      const text = `${method} ${path}: no complete answer`;
      throw new ConnectionError(
        text,
        { ...about, status: null, code: 'connection_failed', cause: error },
        true,
      );
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  async #exchange(
    { method, query = {}, headers }: ApiRequest,
    sent: {
      readonly path: string;
      readonly body: string | undefined;
      readonly attempt: number;
      readonly signal: AbortSignal;
    },
  ): Promise<unknown> {
    const { path, body, attempt, signal } = sent;
    const timestamp = this.nowSeconds;
    const bytes = body === undefined ? undefined : bytesOf(body);
    const signable = { method, path, query, timestamp, ...(bytes === undefined ? {} : { body: bytes }) };
    const pairs = await signedPairs(this.#target.key, this.hmac, signable);
    const all = { ...(bytes === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers };
    this.options.onRequest?.({ method, path, headers: all });
    const startedMs = Date.now();
    const url = `${new URL(this.#target.url).origin}${path}?${new URLSearchParams(pairs.map((pair) => [...pair]))}`;
    const response = await this.#fetch(url, {
      method,
      headers: all,
      signal,
      redirect: 'manual',
      ...(bytes === undefined ? {} : { body: bytes }),
    });
    const text = await response.text();
    const { status } = response;
    this.options.onResponse?.({ method, path, status, attempt, durationMs: Date.now() - startedMs });
    const about = { method, path, attempts: attempt, status };
    const answer = parsed(text);
    if (response.ok) {
      if (answer !== undefined) return answer;
      const why = `${method} ${path}: ${status} with an answer that is not JSON`;
      throw new UnavailableError(why, { ...about, code: 'invalid_answer' }, true);
    }
    const { code, error } = refusalOf(answer);
    const retryAfterMs = retryAfterOf(response.headers.get('Retry-After'));
    throw errorOf(`${method} ${path}: ${status} ${code}${error === '' ? '' : `: ${error}`}`, {
      ...about,
      code,
      ...(retryAfterMs === null ? {} : { retryAfterMs }),
    });
  }
}

/** Without a key a request is repeated only where the service says that it did nothing. */
const mayRepeat = (error: CarillonError, { idempotent }: ApiRequest): boolean =>
  error.retryable && (idempotent || error.status === 429);

/** Undefined: not JSON. An empty answer is an empty object. */
function parsed(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function refusalOf(answer: unknown): { readonly code: string; readonly error: string } {
  const { code, error } = (answer ?? {}) as { readonly code?: unknown; readonly error?: unknown };
  return {
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : 'unknown',
    error: typeof error === 'string' ? error : '',
  };
}

/** Null: it does not say. */
function retryAfterOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now());
}

/** Rejects with the reason of the signal when it is aborted. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** Names as path segments. */
export function pathOf(...segments: readonly string[]): string {
  for (const segment of segments) {
    if (segment === '') throw invalid('a name in the path of a request is empty');
  }
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}
