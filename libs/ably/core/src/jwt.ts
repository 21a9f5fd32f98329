import { createHmac } from 'node:crypto';
import { CompatError } from './compat-error.js';
import { isObject, type JsonObject, parseJson } from './json.js';
import { isClientId } from './credentials.js';
import { isSameSecret } from './key-ring.js';

const MAX_HEADER_BYTES = 4096;
const MAX_REVOCATION_KEY_BYTES = 256;
const CLOCK_SECONDS = 30;
const EMBEDDED = 'x-ably-token';

const malformed = (text: string): CompatError => new CompatError(40_144, text);

/** A JWT that carries its grants. */
export interface Jwt {
  readonly keyName: string;
  readonly claims: JsonObject;
  readonly algorithm: unknown;
  /** The embedded token; null if it has none. */
  readonly embedded: string | null;
  /** The signed text and the signature. */
  readonly signedText: string;
  readonly signature: string;
}

/** @throws CompatError 40144 when the text has no such form. */
export function readJwt(token: string): Jwt {
  const [head = '', body = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || Buffer.byteLength(head) > MAX_HEADER_BYTES) throw malformed('not a token');
  const header = part(head);
  const { kid } = header;
  const claims = part(body);
  if (typeof kid !== 'string' || kid === '') throw malformed('the token names no key');
  return {
    keyName: kid,
    algorithm: header['alg'],
    claims,
    embedded: optionalText(claims, EMBEDDED) ?? optionalText(header, EMBEDDED),
    signedText: `${head}.${body}`,
    signature,
  };
}

function part(text: string): JsonObject {
  const value = parseJson(Buffer.from(text, 'base64url').toString());
  if (!isObject(value)) throw malformed('not a token');
  return value;
}

/** The claims of a verified token. */
export interface JwtClaims {
  readonly issuedMs: number;
  readonly expiresMs: number;
  readonly clientId: string | null;
  /** Null: the capability of the key applies. */
  readonly capabilityText: string | null;
  /** The revocation key; null if it has none. */
  readonly revocationKey: string | null;
}

/** @throws CompatError 40144, or 40142 when it was good once. */
export function proveJwt(
  { algorithm, claims, signedText, signature }: Jwt,
  secret: string,
  maxTtlMs: number,
  nowMs: number,
): JwtClaims {
  if (algorithm !== 'HS256') throw malformed('only HS256 is accepted');
  const expected = createHmac('sha256', secret).update(signedText).digest('base64url');
  if (!isSameSecret(expected, signature)) throw malformed('the signature is wrong');
  const { iat, exp } = claims;
  if (!isSeconds(iat) || !isSeconds(exp)) throw malformed('iat and exp must be integers');
  const livesMs = (exp - iat) * 1000;
  if (livesMs <= 0 || livesMs > maxTtlMs || iat * 1000 > nowMs + CLOCK_SECONDS * 1000)
    throw malformed('iat and exp are out of range');
  const clientId = optionalText(claims, 'x-ably-clientId');
  if (clientId !== null && !isClientId(clientId)) throw malformed('x-ably-clientId is not allowed');
  const capabilityText = optionalText(claims, 'x-ably-capability');
  const revocationKey = optionalText(claims, 'x-ably-revocation-key');
  if (revocationKey !== null && Buffer.byteLength(revocationKey) > MAX_REVOCATION_KEY_BYTES)
    throw malformed('x-ably-revocation-key is too long');
  if (nowMs >= exp * 1000) throw new CompatError(40_142, 'the token has expired');
  return { issuedMs: iat * 1000, expiresMs: exp * 1000, clientId, capabilityText, revocationKey };
}

const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function optionalText(claims: JsonObject, name: string): string | null {
  const value = claims[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value === '') throw malformed(`${name} must be a text`);
  return value;
}
