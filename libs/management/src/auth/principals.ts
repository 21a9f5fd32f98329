import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '@carillon/config';

const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** An operator: one token of the configuration. */
export interface Principal {
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Null: all apps. */
  readonly apps: ReadonlySet<string> | null;
  /** Distinguishes the token from another of the same name after a reload. */
  readonly proof: string;
  /** Unix milliseconds; null: never. */
  readonly expiresAtMs: number | null;
}

export type AuthFailure = 'expired' | 'malformed' | 'missing' | 'unknown';

export const ONE_TIME_PRINCIPAL: Principal = {
  name: 'one-time',
  scopes: new Set(SCOPES),
  apps: null,
  proof: 'one-time',
  expiresAtMs: null,
};

const TOKEN = /^cmt_[A-Za-z0-9_-]{43}$/;
const BEARER = /^bearer ([^\s,]+)$/i;
const PROOF_LENGTH = 16;

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const isScope = (word: string): word is Scope => (SCOPES as readonly string[]).includes(word);

/** Whether the token of a principal may see an app. */
export const canSee = ({ apps }: Pick<Principal, 'apps'>, appId: string): boolean =>
  apps === null || apps.has(appId);

/** The operator tokens of one configuration. */
export class Principals {
  readonly #known: readonly { readonly hash: Buffer; readonly principal: Principal }[];

  constructor({ tokens, one_time_login }: Config['management']) {
    this.#known = tokens.map(({ name, token_hash, scopes, apps, expires_at }) => ({
      hash: Buffer.from(token_hash, 'hex'),
      principal: {
        name,
        scopes: new Set(scopes.filter(isScope)),
        apps: apps.includes('*') ? null : new Set(apps),
        proof: sha256(token_hash).toString('hex').slice(0, PROOF_LENGTH),
        expiresAtMs: expires_at === null ? null : Date.parse(expires_at),
      },
    }));
    this.#oneTime = one_time_login;
  }

  readonly #oneTime: boolean;

  /** Returns the principal of an `Authorization` header. */
  ofHeader(header: string, nowMs: number): Principal | AuthFailure {
    const [, token] = BEARER.exec(header) ?? [];
    return token === undefined ? 'malformed' : this.ofToken(token, nowMs);
  }

  /** Compares with every known hash, in constant time each. */
  ofToken(token: string, nowMs: number): Principal | AuthFailure {
    const hash = sha256(token);
    let found: Principal | null = null;
    for (const one of this.#known) if (timingSafeEqual(one.hash, hash)) found = one.principal;
    if (!TOKEN.test(token)) return 'malformed';
    if (found === null) return 'unknown';
    return isExpired(found, nowMs) ? 'expired' : found;
  }

  /** The principal of a session; null when its token was removed, replaced or has expired. */
  ofSession(name: string, proof: string, nowMs: number): Principal | null {
    if (name === ONE_TIME_PRINCIPAL.name) return this.#oneTime ? ONE_TIME_PRINCIPAL : null;
    const known = this.#known.find(({ principal }) => principal.name === name)?.principal;
    return known === undefined || known.proof !== proof || isExpired(known, nowMs) ? null : known;
  }
}

const isExpired = ({ expiresAtMs }: Principal, nowMs: number): boolean =>
  expiresAtMs !== null && expiresAtMs <= nowMs;
