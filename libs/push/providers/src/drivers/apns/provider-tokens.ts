import type { ApnsCredential } from '../../credentials/credential.js';
import { signedToken, signingKey } from '../client/jwt.js';
import type { Tokens } from '../client/tokens.js';

type Key = Extract<ApnsCredential['access'], { kind: 'key' }>;

const USED_FOR_MS = 50 * 60_000;
/** Minimum renewal interval accepted by APNs. */
const RENEWED_AFTER_MS = 20 * 60_000;

/** Signed here, valid for an hour from when they were. */
export class ProviderTokens implements Tokens {
  readonly #key: Key;
  readonly #now: () => number;
  #token = '';
  #signedAtMs = Number.NEGATIVE_INFINITY;

  constructor(key: Key, now: () => number = Date.now) {
    this.#key = key;
    this.#now = now;
  }

  async get(): Promise<string> {
    const nowMs = this.#now();
    if (nowMs - this.#signedAtMs >= USED_FOR_MS || nowMs < this.#signedAtMs) {
      const { keyId, teamId, privateKey } = this.#key;
      const claims = { iss: teamId, iat: Math.floor(nowMs / 1_000) };
      this.#token = signedToken({ alg: 'ES256', kid: keyId }, claims, signingKey(privateKey, 'ec'));
      this.#signedAtMs = nowMs;
    }
    return this.#token;
  }

  renew(token: string): boolean {
    // Another send has done it.
    if (token !== this.#token) return true;
    if (this.#now() - this.#signedAtMs < RENEWED_AFTER_MS) return false;
    this.#signedAtMs = Number.NEGATIVE_INFINITY;
    return true;
  }
}
