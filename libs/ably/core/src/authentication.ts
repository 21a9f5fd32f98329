import type { App } from '@carillon/app-registry';
import { Capability } from './capability.js';
import { CompatError } from './compat-error.js';
import type { Credentials } from './credentials.js';
import { isJwe, readJwe } from './jwe.js';
import { type Jwt, proveJwt, readJwt } from './jwt.js';
import { appOf, isSameSecret, type Key, type KeyRing } from './key-ring.js';
import { granted } from './token-request.js';
import type { Revocable, Revocations } from './revocations.js';
import type { Tokens } from './tokens.js';

/** The authenticated caller. */
export interface Principal {
  readonly app: App;
  readonly keyName: string;
  readonly capability: Capability;
  /** A key and its secret were brought, no token. */
  readonly isKey: boolean;
  /** The clientId of the connection: `*` permits any; null: anonymous. */
  readonly clientId: string | null;
  /** May set a clientId of its own choice in published messages. */
  readonly mayBeAnybody: boolean;
  /** Null: never. */
  readonly expiresMs: number | null;
  /** The token properties that revocations match; null: it cannot be revoked. */
  readonly revocable: Revocable | null;
}

interface TokenFacts {
  readonly revocable: Revocable | null;
  readonly keyName: string;
  readonly app: App;
  readonly clientId: string | null;
  readonly capability: Capability;
  readonly expiresMs: number;
}

const invalid = (): CompatError => new CompatError(40_101, 'invalid credentials');

const MAX_TOKEN_BYTES = 8192;
// oxlint-disable-next-line no-control-regex -- control characters are exactly what must not pass
const CONTROL = /[\u0000-\u001F\u007F]/;

/** Proves credentials. */
export class Authentication {
  constructor(
    private readonly keys: KeyRing,
    private readonly tokens: Tokens,
    private readonly revocations: Pick<Revocations, 'of'>,
    private readonly maxTtlMs: number,
  ) {}

  /** @throws CompatError with the row of the table of outcomes. */
  async prove({ token, key, clientId }: Credentials, nowMs: number): Promise<Principal> {
    if (token !== null) {
      const facts = await this.#token(token, nowMs);
      await this.#checkRevoked(facts, nowMs);
      return asClient(facts, clientId);
    }
    if (key === null) throw new CompatError(40_140, 'authentication needed');
    return this.#key(key, clientId, nowMs);
  }

  async #checkRevoked({ revocable }: TokenFacts, nowMs: number): Promise<void> {
    const found = revocable === null ? null : await this.revocations.of(revocable);
    if (found !== null && nowMs >= found.appliesAt) throw new CompatError(40_141, 'the token is revoked');
  }

  async #key(text: string, clientId: string | null, nowMs: number): Promise<Principal> {
    const colon = text.indexOf(':');
    if (colon < 1 || colon === text.length - 1) throw invalid();
    const key = await this.keys.find(text.slice(0, colon), nowMs);
    if (key === null || !isSameSecret(key.secret, text.slice(colon + 1))) throw invalid();
    if (key.problem !== null) throw key.problem;
    return {
      app: appOf(key),
      keyName: key.name,
      capability: key.capability,
      isKey: true,
      clientId,
      mayBeAnybody: clientId === null,
      expiresMs: null,
      revocable: null,
    };
  }

  #token(token: string, nowMs: number): Promise<TokenFacts> {
    if (Buffer.byteLength(token) > MAX_TOKEN_BYTES || CONTROL.test(token))
      throw new CompatError(40_144, 'not a token');
    if (isJwe(token)) return this.#sealed(token, nowMs);
    return token.split('.').length === 3 ? this.#outer(readJwt(token), nowMs) : this.#opaque(token, nowMs);
  }

  async #keyOf(name: string, nowMs: number): Promise<Key> {
    const key = await this.keys.find(name, nowMs);
    if (key === null) throw new CompatError(40_400, 'the token names an unknown key');
    return key;
  }

  /** An encrypted token must embed another token. */
  async #sealed(token: string, nowMs: number): Promise<TokenFacts> {
    const jwe = readJwe(token);
    const jwt = readJwt(jwe.open((await this.#keyOf(jwe.keyName, nowMs)).secret));
    if (jwt.embedded === null) throw new CompatError(40_144, 'a sealed token must hold another');
    return this.#outer(jwt, nowMs);
  }

  /** The embedded token determines identity and capability; the outer one limits the lifetime. */
  async #outer(jwt: Jwt, nowMs: number): Promise<TokenFacts> {
    const around = await this.#jwt(jwt, nowMs);
    const { embedded } = jwt;
    if (embedded === null) return around;
    const form = embedded.split('.').length;
    const inner = form === 3 ? readJwt(embedded) : null;
    if (form === 5 || (inner !== null && inner.embedded !== null))
      throw new CompatError(40_144, 'tokens are nested too deep');
    const within = await (inner === null ? this.#opaque(embedded, nowMs) : this.#jwt(inner, nowMs));
    if (around.expiresMs > within.expiresMs || around.app.id !== within.app.id)
      throw new CompatError(40_144, 'the token does not fit the one that it holds');
    return { ...within, expiresMs: around.expiresMs };
  }

  async #jwt(jwt: Jwt, nowMs: number): Promise<TokenFacts> {
    const key = await this.#keyOf(jwt.keyName, nowMs);
    const { clientId, capabilityText, expiresMs, issuedMs, revocationKey } = proveJwt(
      jwt,
      key.secret,
      this.maxTtlMs,
      nowMs,
    );
    if (key.problem !== null && key.isRevocable)
      throw new CompatError(40_141, 'the key of the token is gone');
    const capability = capabilityText === null ? key.capability : capabilityOf(key, capabilityText);
    const about = { keyName: key.name, issuedMs, clientId, revocationKey, capability };
    const revocable = key.isRevocable ? about : null;
    return { keyName: key.name, app: appOf(key), clientId, capability, expiresMs, revocable };
  }

  async #opaque(token: string, nowMs: number): Promise<TokenFacts> {
    const record = await this.tokens.find(token);
    if (record === null) throw new CompatError(40_143, 'the token is not known');
    if (nowMs >= record.expiresMs) throw new CompatError(40_142, 'the token has expired');
    const key = await this.keys.find(record.keyName, nowMs);
    // The name of a key may be reassigned to another app.
    const isOther = key === null || (key.app !== null && key.app.id !== record.appId);
    if (isOther) throw new CompatError(40_141, 'the key of the token is gone');
    if (key.isRevocable && (key.problem !== null || key.rotationId !== record.rotationId))
      throw new CompatError(40_141, 'the key of the token is gone');
    const { keyName, clientId, expiresMs, issuedMs } = record;
    const capability = Capability.parse(record.capability);
    const about = { keyName, issuedMs, clientId, revocationKey: null, capability };
    const revocable = key.isRevocable ? about : null;
    return { keyName, app: appOf(key), clientId, capability, expiresMs, revocable };
  }
}

/** Returns the capability that a token carries; an invalid text makes the token invalid. */
function capabilityOf(key: Key, text: string): Capability {
  try {
    return Capability.parse(granted(key, text));
  } catch (error) {
    const isNone = error instanceof CompatError && error.code === 40_000;
    throw isNone ? new CompatError(40_144, 'x-ably-capability is no capability') : error;
  }
}

function asClient(facts: TokenFacts, asked: string | null): Principal {
  const { clientId: own } = facts;
  const isWild = own === '*';
  if (asked !== null && !isWild && asked !== own)
    throw new CompatError(40_102, 'clientId is not that of the token');
  return {
    ...facts,
    isKey: false,
    clientId: isWild ? (asked ?? '*') : own,
    mayBeAnybody: isWild && asked === null,
  };
}
