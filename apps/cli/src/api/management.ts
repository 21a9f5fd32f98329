import { CommandError, failure, unreachable, usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { timeoutMs, withDeadline } from './deadline.js';
import { networkReason, refusal } from './request-errors.js';

const RETRIES = 3;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface ManagementRequest {
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST';
  /** Below `/manage/v1`, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ManagementAnswer<Body> {
  readonly body: Body;
  readonly etag: string | null;
}

/** The management API with the operator token of a call. */
export class ManagementApi {
  readonly #token: string;

  constructor(
    private readonly invocation: Invocation,
    private readonly url: string,
    token: string,
  ) {
    this.#token = token;
  }

  async request<Body>(request: ManagementRequest): Promise<ManagementAnswer<Body>> {
    const { invocation, url } = this;
    return withDeadline(invocation, url, timeoutMs(invocation), async (signal) => {
      for (let attempt = 1; ; attempt += 1) {
        const response = await this.#send(request, signal);
        const { status, headers } = response;
        const mayRepeat = request.method === 'GET' && (status === 429 || status === 503);
        if (mayRepeat && attempt <= RETRIES) {
          await response.body?.cancel();
          await pause(Number(headers.get('Retry-After') ?? 1) * 1000, signal);
          continue;
        }
        const text = await response.text();
        if (text.length > MAX_ANSWER_BYTES) throw failure(`${url}: the answer is larger than 64 MiB`);
        const body = parsed(text);
        if (status === 404 && (await this.#isDisabled(signal))) throw disabled(url);
        if (!response.ok) throw this.#refused(request, status, body);
        return { body: body as Body, etag: headers.get('ETag') };
      }
    });
  }

  /** Opens a stream of server-sent events; it ends with `signal`. */
  async stream(request: ManagementRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#send(request, signal);
    if (response.status === 404 && (await this.#isDisabled(signal))) throw disabled(this.url);
    if (!response.ok) throw this.#refused(request, response.status, parsed(await response.text()));
    if (response.body === null) throw failure(`${this.url}: the stream has no body`);
    return response.body;
  }

  async #send(request: ManagementRequest, signal: AbortSignal): Promise<Response> {
    const { method, path, query = {}, body, headers } = request;
    const { terminal } = this.invocation;
    const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
    terminal.trace(`${method} ${this.url}/manage/v1${path}${search}`);
    try {
      const response = await fetch(`${this.url}/manage/v1${path}${search}`, {
        method,
        signal,
        redirect: 'manual',
        headers: {
          Authorization: `Bearer ${this.#token}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      terminal.trace(`${method} /manage/v1${path}: ${response.status}`);
      return response;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw unreachable(this.url, networkReason(error), error);
    }
  }

  #refused({ method, path }: ManagementRequest, status: number, body: unknown): CommandError {
    const { error, code, fields } = (body ?? {}) as {
      readonly error?: string;
      readonly code?: string;
      readonly fields?: readonly { readonly path: string; readonly message: string }[];
    };
    const list = (fields ?? []).map((field) => `${field.path}: ${field.message}`).join('; ');
    const text = `${method} /manage/v1${path}: ${status} ${code ?? 'unknown'}: ${error ?? ''}`;
    const cure = status === 401 ? 'check --token' : status === 403 ? 'use a token with the scope' : undefined;
    return refusal(`${text}${list === '' ? '' : ` (${list})`}`, code ?? 'failed', status, cure);
  }

  /** Whether the API is not served at all: its session route answers every token. */
  async #isDisabled(signal: AbortSignal): Promise<boolean> {
    const response = await this.#send({ method: 'GET', path: '/session' }, signal);
    await response.body?.cancel();
    return response.status === 404;
  }
}

const disabled = (url: string): CommandError =>
  new CommandError(`${url} does not serve the management API`, {
    code: 'not_found',
    status: 404,
    exitCode: 1,
    cure: 'set [management] enabled = true, or name the address of the API with --manage-url',
  });

/** The management API of a call. Without a token: a usage error. */
export async function managementApi(invocation: Invocation): Promise<ManagementApi> {
  const { manageUrl, token } = await invocation.connection();
  if (token === null)
    throw usageError('no operator token is given', 'give --token (or CARILLON_TOKEN), or use --direct');
  return new ManagementApi(invocation, manageUrl, token);
}

function parsed(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, Number.isFinite(ms) ? ms : 1000);
    signal.addEventListener('abort', end, { once: true });
  });
}
