import { equalText } from '../equal-text.js';
import { hmac, matchesEither, type SigningKey } from '../signing-key.js';
import { CLAIM_NAMES, readClaims, type CapabilityToken, type ClaimNames } from './claims.js';
import { Refusal } from './read-grants.js';

/** The signature of a token does not match. */
class SignatureRefusal extends Refusal {}

/** The longest token that is looked at. */
const MAX_TOKEN_BYTES = 8192;

/** A believed token, or why not, in words for the client. */
export type TokenVerdict =
  | { readonly ok: true; readonly token: CapabilityToken }
  | {
      readonly ok: false;
      readonly reason: string;
      /** The signature matches no known secret of the app. */
      readonly isUnsigned?: true;
    };

/**
 * Checks a capability token (compact JWT, HS256 only) against the app whose key the connection used. Never throws.
 * The signature comes first, so nothing is parsed that the app did not sign. Revocation is the caller's next step.
 */
export function verifyCapabilityToken(
  token: string,
  key: SigningKey,
  nowSeconds: number,
  names: ClaimNames = CLAIM_NAMES,
): TokenVerdict {
  try {
    return { ok: true, token: readClaims(openToken(token, key), nowSeconds, names) };
  } catch (problem) {
    if (problem instanceof SignatureRefusal) return { ok: false, reason: problem.message, isUnsigned: true };
    if (problem instanceof Refusal) return { ok: false, reason: problem.message };
    throw problem;
  }
}

/** Header parameters that change how a token is read: none is implemented, and ignoring one would misread the token. */
const EXTENSIONS = ['crit', 'zip', 'b64', 'enc'];

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** The claims of a token that this key signed. */
function openToken(token: string, key: SigningKey): Readonly<Record<string, unknown>> {
  if (token.length > MAX_TOKEN_BYTES) {
    throw new Refusal(`capability token is longer than ${MAX_TOKEN_BYTES} bytes`);
  }
  const [, header, claims, signature] = COMPACT.exec(token) ?? [];
  if (header === undefined || claims === undefined || signature === undefined) {
    throw new Refusal('capability token is not a compact JWT');
  }
  // Compared as text: decoding would take several spellings of the last character for the same bytes.
  const isSigned = matchesEither(key, (one) =>
    equalText(signature, hmac(one, `${header}.${claims}`, 'base64url')),
  );
  if (!isSigned) {
    throw new SignatureRefusal('capability token: signature does not match');
  }
  const { alg, kid, ...others } = jsonObject(header);
  const unsupported = EXTENSIONS.find((name) => Object.hasOwn(others, name));
  if (unsupported !== undefined) throw new Refusal(`capability token: ${unsupported} is not supported`);
  if (alg !== 'HS256') throw new Refusal('capability token: alg must be HS256');
  if (kid !== key.key) throw new Refusal('capability token: kid is not the key of this app');
  return jsonObject(claims);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function jsonObject(part: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(Buffer.from(part, 'base64url')));
  } catch {
    throw new Refusal('capability token is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('capability token is not a JSON object');
  }
  return value as Readonly<Record<string, unknown>>;
}
