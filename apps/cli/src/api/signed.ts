import type { CarillonServer, Encryptor } from '@carillon/server';
import { failure } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { timeoutMs, withDeadline } from './deadline.js';
import { requestError } from './request-errors.js';

/** Repetitions of a request that the service did not carry out. */
const RETRIES = 3;

export interface SignedRequest {
  readonly method: 'DELETE' | 'GET' | 'POST';
  /** Below `/apps/ID`, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Whether a repetition has no second effect. Default: of GET. */
  readonly idempotent?: boolean;
}

/** The signed HTTP API with the credentials of a call. Answers are those of the service, unchanged. */
export class SignedApi {
  constructor(
    private readonly invocation: Invocation,
    private readonly server: CarillonServer,
    private readonly counted: { refusals: number },
  ) {}

  async request<Answer>({ method, path, ...options }: SignedRequest): Promise<Answer> {
    const { server, invocation, counted } = this;
    const ms = timeoutMs(invocation);
    counted.refusals = 0;
    try {
      return await withDeadline(invocation, server.url, ms, (signal) =>
        server.request<Answer>(method, path, { ...options, signal }),
      );
    } catch (error) {
      const known = requestError(error, server.url);
      if (known.code === 'unreachable' && counted.refusals > 0)
        throw failure(
          `${server.url} refused the request ${counted.refusals} times within ${ms} ms`,
          'service_unavailable',
        );
      throw known;
    }
  }
}

export async function signedApi(invocation: Invocation): Promise<SignedApi> {
  const { url, credentials } = await invocation.connection();
  const sdk = await import('@carillon/server');
  const { appId, key, secret } = credentials;
  const counted = { refusals: 0 };
  const server = new sdk.CarillonServer({
    url,
    appId,
    key,
    secret,
    timeoutMs: timeoutMs(invocation),
    retries: RETRIES,
    onRequest: ({ method, path }) => invocation.terminal.trace(`${method} ${url}${path}`),
    onResponse: ({ method, path, status, attempt, durationMs }) => {
      if (status === 429 || status === 503) counted.refusals += 1;
      invocation.terminal.trace(`${method} ${path}: ${status} in ${durationMs} ms (attempt ${attempt})`);
    },
  });
  return new SignedApi(invocation, server, counted);
}

/** The local signer of a call: authorizations and tokens, without a request. */
export async function signer(invocation: Invocation, encryptor?: Encryptor): Promise<CarillonServer> {
  const { url, credentials } = await invocation.connection();
  const sdk = await import('@carillon/server');
  const { appId, key, secret } = credentials;
  return new sdk.CarillonServer({
    url,
    appId,
    key,
    secret,
    ...(encryptor === undefined ? {} : { encryptor }),
  });
}

/** Names as path segments; an empty name is left to the service to refuse. */
export const segments = (...names: readonly string[]): string =>
  names.map((name) => `/${encodeURIComponent(name)}`).join('');
