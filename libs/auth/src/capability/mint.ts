import { hmac, type SigningKey } from '../signing-key.js';
import { CLAIM_NAMES, type ClaimNames } from './claims.js';

/** Claims of a token. Times are Unix seconds; nothing is validated, so that tests can create invalid ones. */
export interface TokenContent {
  readonly clientId: string;
  /** Pattern → operations. */
  readonly capability: Readonly<Record<string, readonly string[]>>;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly jti: string;
}

/** Makes a capability token, as an application server does. */
export function mintCapabilityToken(
  key: SigningKey,
  content: TokenContent,
  names: ClaimNames = CLAIM_NAMES,
): string {
  return signToken(
    key,
    { alg: 'HS256', typ: 'JWT', kid: key.key },
    {
      [names.clientId]: content.clientId,
      [names.capability]: content.capability,
      iat: content.issuedAt,
      exp: content.expiresAt,
      jti: content.jti,
    },
  );
}

/** Signs any header and claims as a compact JWT. */
export function signToken(key: SigningKey, header: object, claims: object): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${hmac(key, text, 'base64url')}`;
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
