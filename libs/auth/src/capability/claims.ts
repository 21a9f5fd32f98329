import { Capabilities } from './capabilities.js';
import { grantsByPattern, Refusal } from './read-grants.js';

/** Tolerated clock skew of the issuer. */
const CLOCK_SKEW_SECONDS = 30;
/** The longest a token may live. */
const MAX_LIFETIME_SECONDS = 86_400;
const MAX_ID_BYTES = 128;

/** A token that was believed. Times are Unix seconds. */
export interface CapabilityToken {
  readonly clientId: string;
  readonly jti: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly capabilities: Capabilities;
}

/** Names of the claims, configurable by vendor prefix. */
export interface ClaimNames {
  readonly clientId: string;
  readonly capability: string;
}

export const CLAIM_NAMES: ClaimNames = {
  clientId: 'x-service-client-id',
  capability: 'x-service-capability',
};

/** Checks every claim. Throws a Refusal at the first one that breaks a rule. */
export function readClaims(
  claims: Readonly<Record<string, unknown>>,
  nowSeconds: number,
  names: ClaimNames,
): CapabilityToken {
  const clientId = identifier(claims, names.clientId);
  const jti = identifier(claims, 'jti');
  const issuedAt = seconds(claims, 'iat');
  const expiresAt = seconds(claims, 'exp');
  const latestStart = nowSeconds + CLOCK_SKEW_SECONDS;
  if (issuedAt > latestStart) throw new Refusal('capability token: iat is in the future');
  if (expiresAt <= nowSeconds - CLOCK_SKEW_SECONDS) throw new Refusal('capability token expired');
  if (expiresAt - issuedAt > MAX_LIFETIME_SECONDS) {
    throw new Refusal(`capability token lives longer than ${MAX_LIFETIME_SECONDS} s`);
  }
  if (claims['nbf'] !== undefined && seconds(claims, 'nbf') > latestStart) {
    throw new Refusal('capability token: nbf is in the future');
  }
  const capabilities = Capabilities.ofToken(grantsByPattern(capabilityClaim(claims[names.capability])));
  return { clientId, jti, issuedAt, expiresAt, capabilities };
}

function identifier(claims: Readonly<Record<string, unknown>>, name: string): string {
  const value = claims[name];
  if (typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_ID_BYTES) return value;
  throw new Refusal(`capability token: ${name} must be a text of 1 to ${MAX_ID_BYTES} bytes`);
}

function seconds(claims: Readonly<Record<string, unknown>>, name: string): number {
  const value = claims[name];
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new Refusal(`capability token: ${name} must be an integer`);
}

/** The map may also come as its JSON text. */
function capabilityClaim(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new Refusal('capability is not JSON');
  }
}
