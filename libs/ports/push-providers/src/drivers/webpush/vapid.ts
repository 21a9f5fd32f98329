import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { WebPushCredential } from '../../credentials/credential.js';
import { signedToken } from '../client/jwt.js';
import { Refusal } from '../client/refusal.js';
import { authFailure } from '../client/verdict.js';

const LIFETIME_MS = 12 * 3_600_000;
const RENEWED_BEFORE_MS = 3_600_000;
const MOST_SERVICES = 256;

interface Signed {
  readonly header: string;
  readonly untilMs: number;
}

/** Who sends, as each push service is told: signed once and used for eleven hours. */
export class Vapid {
  readonly #credential: WebPushCredential;
  readonly #contact: string | null;
  readonly #now: () => number;
  /** By origin, the oldest first. */
  readonly #signed = new Map<string, Signed>();
  #key: KeyObject | null = null;

  constructor(credential: WebPushCredential, contact: string | null, now: () => number = Date.now) {
    this.#credential = credential;
    this.#contact = credential.subject ?? contact;
    this.#now = now;
  }

  /** @throws Refusal when the credential cannot sign, or names nobody whom the service could ask. */
  authorization({ origin }: URL): string {
    const known = this.#signed.get(origin);
    if (known !== undefined && known.untilMs > this.#now()) return known.header;
    const header = this.#sign(origin);
    this.#signed.delete(origin);
    const [oldest] = this.#signed.keys();
    if (this.#signed.size >= MOST_SERVICES && oldest !== undefined) this.#signed.delete(oldest);
    this.#signed.set(origin, { header, untilMs: this.#now() + LIFETIME_MS - RENEWED_BEFORE_MS });
    return header;
  }

  #sign(aud: string): string {
    if (this.#contact === null) throw new Refusal(authFailure('no_contact'));
    const sub = /^(mailto|https):/.test(this.#contact) ? this.#contact : `mailto:${this.#contact}`;
    const exp = Math.floor((this.#now() + LIFETIME_MS) / 1_000);
    this.#key ??= signingKeyOf(this.#credential);
    const token = signedToken({ typ: 'JWT', alg: 'ES256' }, { aud, exp, sub }, this.#key);
    return `vapid t=${token}, k=${this.#credential.publicKey.replace(/=+$/, '')}`;
  }
}

function signingKeyOf({ publicKey, privateKey }: WebPushCredential): KeyObject {
  const point = Buffer.from(publicKey, 'base64url');
  const part = (from: number): string => point.subarray(from, from + 32).toString('base64url');
  const d = Buffer.from(privateKey, 'base64url').toString('base64url');
  try {
    return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d, x: part(1), y: part(33) } });
  } catch {
    throw new Refusal(authFailure('key_unusable'));
  }
}
