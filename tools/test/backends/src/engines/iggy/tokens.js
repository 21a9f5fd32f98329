import { randomBytes } from 'node:crypto';

const LIFETIME_MS = 3_600_000;

/** Access tokens and the moments they expire. They do not outlive the process, as with a new signing secret. */
export class Tokens {
  /** @type {Map<string, number>} */
  #expiries = new Map();

  /** The body that a login and a refresh answer with. */
  issue() {
    const token = randomBytes(24).toString('base64url');
    const expiry = Date.now() + LIFETIME_MS;
    this.#expiries.set(token, expiry);
    return { user_id: 0, access_token: { token, expiry: Math.floor(expiry / 1000) } };
  }

  /** @param {string} token */
  isValid(token) {
    return (this.#expiries.get(token) ?? 0) > Date.now();
  }
}
