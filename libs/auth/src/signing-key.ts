import { HmacKey } from './hmac-key.js';

/** An app's credentials, made ready once for every signature of that app. The secret cannot be printed. */
export interface SigningKey {
  readonly appId: string;
  /** The public half: `auth_key` of a request, the part before `:` of a channel auth, `kid` of a token. */
  readonly key: string;
  readonly secret: HmacKey;
  /** The secret before a rotation, valid until its expiry; null: none. */
  readonly previous: { readonly secret: HmacKey; readonly expiresAtMs: number } | null;
}

/** The credentials as an app record holds them. */
export interface SigningKeySource {
  readonly appId: string;
  readonly key: string;
  readonly secret: string;
  /** Absent or null: none. */
  readonly previous?: { readonly secret: string; readonly expiresAtMs: number } | null;
}

const prepared = (text: string): HmacKey => new HmacKey(Buffer.from(text, 'utf8'));

/** Prepares the credentials of one app; keep the result as long as the app record. */
export function prepareSigningKey({ appId, key, secret, previous = null }: SigningKeySource): SigningKey {
  return {
    appId,
    key,
    secret: prepared(secret),
    previous:
      previous === null ? null : { secret: prepared(previous.secret), expiresAtMs: previous.expiresAtMs },
  };
}

/** The credentials with the previous secret in place of the current one; null without one that is still valid. */
export function previousKey({ appId, key, previous }: SigningKey): SigningKey | null {
  if (previous === null || previous.expiresAtMs <= Date.now()) return null;
  return { appId, key, secret: previous.secret, previous: null };
}

/** Whether a check succeeds with the current secret or, until its expiry, with the previous one. */
export function matchesEither(key: SigningKey, check: (key: SigningKey) => boolean): boolean {
  if (check(key)) return true;
  const previous = key.previous === null ? null : previousKey(key);
  return previous !== null && check(previous);
}

/** HMAC-SHA256 of the UTF-8 text or the bytes. */
export function hmac(
  { secret }: SigningKey,
  message: string | Uint8Array,
  encoding: 'hex' | 'base64url',
): string {
  return secret.sign(message, encoding);
}
