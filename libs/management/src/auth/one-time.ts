import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const LIFETIME_MS = 600_000;
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The one-time login of a start: valid once, for 10 minutes, in this process. */
export class OneTimeLogin {
  #hash: Buffer | null = null;
  #expiresAtMs = 0;

  /** Monotonic milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Creates the token; an earlier one is not valid any more. */
  issue(): string {
    const token = `cmo_${randomBytes(32).toString('base64url')}`;
    this.#hash = sha256(token);
    this.#expiresAtMs = this.now() + LIFETIME_MS;
    return token;
  }

  /** Whether the token is valid; it is used up then. */
  redeem(token: string): boolean {
    if (this.#hash === null || this.now() >= this.#expiresAtMs) return false;
    if (!timingSafeEqual(this.#hash, sha256(token))) return false;
    this.#hash = null;
    return true;
  }
}
