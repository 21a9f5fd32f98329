import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { JsonObject } from '../../json.js';
import { rejected } from '../../outcome.js';
import { Refusal } from './refusal.js';

const encoded = (part: JsonObject): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Returns a JWT signed with RS256 or ES256. */
export function signedToken(
  header: JsonObject & { alg: 'RS256' | 'ES256' },
  claims: JsonObject,
  key: KeyObject,
) {
  const text = `${encoded(header)}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** Parses a PEM key. @throws Refusal without details, which might contain a part of the key. */
export function signingKey(pem: string, type: 'rsa' | 'ec'): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === type) return key;
  } catch {
    // Refused below.
  }
  throw new Refusal(rejected('auth_failure', 'credential_auth', 'key_unusable'));
}
