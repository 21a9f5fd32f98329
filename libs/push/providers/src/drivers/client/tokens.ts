import { isObject } from '../../json.js';
import { rejected, retryable } from '../../outcome.js';
import type { WireRequest } from '../wire/exchange.js';
import type { Wire } from '../wire/wire.js';
import { Refusal } from './refusal.js';

/** Authorization of the requests of one credential. */
export interface Tokens {
  /** Rejects with the outcome of the send. */
  get(): Promise<string>;
  /** Reports a refused token. Returns false if no better one can be fetched, so that a retry is useless. */
  renew(token: string): boolean;
}

/** A token of the settings, or none. */
export const fixedToken = (token: string): Tokens => ({ get: async () => token, renew: () => false });

interface Grant {
  readonly token: string;
  readonly untilMs: number;
}

const RENEWED_BEFORE_MS = 300_000;
const MAX_TOKEN_LENGTH = 8_192;

/** Access tokens of an OAuth service, kept until five minutes before their end and fetched once at a time. */
export class OAuthTokens implements Tokens {
  readonly #wire: Wire;
  readonly #request: () => WireRequest;
  readonly #signal: AbortSignal;
  #grant: Grant | null = null;
  #fetching: Promise<Grant> | null = null;

  /** `request` is created for each fetch: it may be signed. `signal` aborts a fetch. */
  constructor(wire: Wire, request: () => WireRequest, signal: AbortSignal) {
    this.#wire = wire;
    this.#request = request;
    this.#signal = signal;
  }

  async get(): Promise<string> {
    if (this.#grant !== null && this.#grant.untilMs > Date.now()) return this.#grant.token;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = null;
    });
    return (await this.#fetching).token;
  }

  renew(token: string): boolean {
    if (this.#grant?.token === token) this.#grant = null;
    return true;
  }

  async #fetch(): Promise<Grant> {
    const { status, body } = await this.#wire.post(this.#request(), this.#signal);
    if (status >= 400 && status < 500) throw refused('token_refused');
    const grant = status === 200 ? read(body) : null;
    if (grant === null) {
      throw new Refusal(retryable('unavailable', 'provider_transient', 'token_service_unavailable'));
    }
    this.#grant = grant;
    return grant;
  }
}

const refused = (reason: string): Refusal => new Refusal(rejected('auth_failure', 'credential_auth', reason));

function read(body: string): Grant | null {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isObject(answer)) return null;
  const { access_token: token, expires_in: seconds } = answer;
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || token.length > MAX_TOKEN_LENGTH)
    return null;
  const lifetimeMs = Number(seconds) > 0 ? Number(seconds) * 1_000 : 3_600_000;
  // A token that lives no longer than that is used for the sends that wait for it.
  return { token, untilMs: Date.now() + Math.max(0, lifetimeMs - RENEWED_BEFORE_MS) };
}

/** A form as token services take it. */
export const tokenForm = (url: URL, fields: Readonly<Record<string, string>>): WireRequest => ({
  url,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});
