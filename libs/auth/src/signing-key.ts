import { HmacKey } from './hmac-key.js';

/** An app's credentials, made ready once for every signature of that app. The secret cannot be printed. */
export interface SigningKey {
  readonly appId: string;
  /** The public half: `auth_key` of a request, the part before `:` of a channel auth, `kid` of a token. */
  readonly key: string;
  readonly secret: HmacKey;
}

/** The credentials as an app record holds them. */
export interface SigningKeySource {
  readonly appId: string;
  readonly key: string;
  readonly secret: string;
}

/** Prepares the credentials of one app; keep the result as long as the app record. */
export function prepareSigningKey({ appId, key, secret }: SigningKeySource): SigningKey {
  return { appId, key, secret: new HmacKey(Buffer.from(secret, 'utf8')) };
}

/** HMAC-SHA256 of the UTF-8 text or the bytes. */
export function hmac(
  { secret }: SigningKey,
  message: string | Uint8Array,
  encoding: 'hex' | 'base64url',
): string {
  return secret.sign(message, encoding);
}
