import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '@carillon/config';

const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Authenticated caller, as configured. */
export interface Principal {
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Null: all of them. */
  readonly apps: ReadonlySet<string> | null;
  readonly isAnonymous: boolean;
  /** Distinguishes its token from an earlier one of the same name; empty without a token. */
  readonly proof: string;
}

/** Reason of a failed authentication. */
export type AuthFailure = 'missing' | 'malformed' | 'unknown';

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const PROOF_SHOWN = 16;
const BEARER = /^bearer (\S+)$/i;

const isScope = (word: string): word is Scope => (SCOPES as readonly string[]).includes(word);
const scopesOf = (words: readonly string[]): ReadonlySet<Scope> => new Set(words.filter(isScope));

/** Configured principals. */
export class Principals {
  readonly #known: readonly { readonly digest: Buffer; readonly principal: Principal }[];
  readonly #anonymous: Principal | null;

  constructor({ tokens, allow_anonymous, anonymous_scopes }: Config['mcp']) {
    this.#known = tokens.map(({ name, token, scopes, apps }) => {
      const digest = sha256(token.reveal());
      const principal = {
        name,
        scopes: scopesOf(scopes),
        apps: apps.includes('*') ? null : new Set(apps),
        isAnonymous: false,
        proof: digest.toString('hex').slice(0, PROOF_SHOWN),
      };
      return { digest, principal };
    });
    this.#anonymous = allow_anonymous
      ? { name: 'anonymous', scopes: scopesOf(anonymous_scopes), apps: null, isAnonymous: true, proof: '' }
      : null;
  }

  /** Takes the same time for every token: all known ones are compared. */
  of(header: string | undefined): Principal | AuthFailure {
    if (header === undefined) return this.#anonymous ?? 'missing';
    const [, token] = BEARER.exec(header) ?? [];
    if (token === undefined) return 'malformed';
    const digest = sha256(token);
    let found: Principal | null = null;
    for (const one of this.#known) if (timingSafeEqual(one.digest, digest)) found = one.principal;
    return found ?? 'unknown';
  }

  get names(): readonly string[] {
    const anonymous = this.#anonymous === null ? [] : [this.#anonymous.name];
    return [...this.#known.map(({ principal }) => principal.name), ...anonymous];
  }

  /** Null: the name is no longer configured. */
  named(name: string): Principal | null {
    const known = this.#known.find(({ principal }) => principal.name === name);
    return known?.principal ?? (this.#anonymous?.name === name ? this.#anonymous : null);
  }

  has(name: string): boolean {
    return this.named(name) !== null;
  }
}
