import type { App } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import { type Caller, type Revocations, tokenHolder } from '@carillon/api-operations';
import type { WireNames } from '@carillon/protocol';
import {
  admitToken,
  type CapabilityToken,
  OPERATIONS,
  type TokenVerdict,
  verifyCapabilityToken,
} from '@carillon/auth';
import type { HttpRequest } from '@carillon/uws';
import type { AppsByKey, KnownApps } from './known-apps.js';

export interface BearerParts {
  readonly apps: AppsByKey;
  readonly known: KnownApps;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
  readonly names: Pick<WireNames, 'claims'>;
  /** Unix time in seconds. */
  readonly nowSeconds: () => number;
}

/** A request admitted by its capability token. */
export interface Admitted {
  readonly app: App;
  readonly caller: Caller;
}

const SCHEME = /^bearer +(\S+)$/i;
const IS_SIGNED = /(^|&)auth_signature=/;
const TOKEN_PARAMETERS = ['token', 'access_token'];

/** Returns the capability token of a request; null if it has none, or a signature as well, which then counts. */
export function bearerOf(request: HttpRequest): string | null {
  const [, token = null] = SCHEME.exec(request.header('authorization') ?? '') ?? [];
  return token === null || IS_SIGNED.test(request.rawQuery) ? null : token;
}

/**
 * Returns the query of a request with a capability token, by lower-cased name; of a repeated parameter the last counts.
 *
 * @throws ServiceError `auth_failed` if the query holds a token too: queries are written to logs.
 */
export function bearerQuery(rawQuery: string): ReadonlyMap<string, string> {
  const query = new Map(
    [...new URLSearchParams(rawQuery)].map(([name, value]) => [name.toLowerCase(), value]),
  );
  for (const name of TOKEN_PARAMETERS) {
    if (query.has(name))
      throw failed(`the query parameter ${name} is not accepted; send the token in Authorization only`);
  }
  return query;
}

/** Admits requests by capability tokens, with the checks that sockets make at connect. */
export class BearerTokens {
  constructor(private readonly parts: BearerParts) {}

  /**
   * @throws ServiceError `auth_failed` if the token is not valid for the app of the path, or revoked; `service_unavailable` if
   * the app or the revocations cannot be read.
   */
  async admit(token: string, appId: string): Promise<Admitted> {
    const { revocations } = this.parts;
    const named = await this.#appOf(token);
    if (named === null || named.id !== appId)
      throw failed('kid of the capability token is not a key of this app');
    const { app, verified } = await this.#verified(token, named);
    const verdict = admitToken(verified, { identity: null });
    if (!verdict.ok) throw failed(verdict.reason);
    const isRevoked = await revocations.isRevoked(app.id, verdict.token).catch((cause: unknown) => {
      throw new ServiceError('service_unavailable', {
        text: 'revocations of capability tokens cannot be read',
        cause,
      });
    });
    if (isRevoked) throw failed('capability token revoked');
    return { app, caller: callerOf(app, verdict.token) };
  }

  /** Verifies a token; where no known secret matches, with the app as the store holds it now. */
  async #verified(token: string, app: App): Promise<{ app: App; verified: TokenVerdict }> {
    const { known, names, nowSeconds, apps } = this.parts;
    const verify = (one: App): TokenVerdict =>
      verifyCapabilityToken(token, known.of(one).signingKey, Math.floor(nowSeconds()), names.claims);
    const verified = verify(app);
    if (verified.ok || verified.isUnsigned !== true) return { app, verified };
    const fresh = await apps.fresh(app.id)?.catch((cause: unknown) => {
      throw new ServiceError('service_unavailable', { text: 'app lookup unavailable', cause });
    });
    return fresh === undefined || fresh === null
      ? { app, verified }
      : { app: fresh, verified: verify(fresh) };
  }

  async #appOf(token: string): Promise<App | null> {
    const key = keyIdOf(token);
    if (key === null) return null;
    const { apps } = this.parts;
    return (
      apps.peekByKey(key) ??
      apps.findByKey(key).catch((cause: unknown) => {
        throw new ServiceError('service_unavailable', { text: 'app lookup unavailable', cause });
      })
    );
  }
}

/** Caller with a token: acts as the client id of the token, never as a connection. */
function callerOf(app: App, { clientId, capabilities }: CapabilityToken): Caller {
  return {
    ...tokenHolder(app, 'http_api', { capabilities, userId: clientId }),
    actsAs: (channel) => ({
      protocol: 2,
      clientId,
      hasToken: true,
      rights: OPERATIONS.filter((right) => capabilities.allows(right, channel)),
    }),
  };
}

/** Reads `kid` of the unverified header; null if missing. */
function keyIdOf(token: string): string | null {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    const kid: unknown = Object(header)['kid'];
    return typeof kid === 'string' && kid !== '' ? kid : null;
  } catch {
    return null;
  }
}

const failed = (text: string): ServiceError => new ServiceError('auth_failed', { text });
