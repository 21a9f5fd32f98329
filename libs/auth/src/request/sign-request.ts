import { hash } from 'node:crypto';
import { hmac, type SigningKey } from '../signing-key.js';
import { canonicalQuery, collect } from './signed-query.js';
import { stringToSign } from './string-to-sign.js';

/** A request about to be sent. */
export interface RequestToSign {
  readonly method: string;
  /** Path as sent: starts with `/apps/{appId}`, segments percent-encoded, no query. */
  readonly rawPath: string;
  /** Parameters beside the `auth_*` ones, plain. */
  readonly query?: Readonly<Record<string, string>>;
  /** Absent or empty: nothing is sent. */
  readonly body?: string | Uint8Array;
}

/** The whole query (without `?`) that makes the request a signed one. */
export function signRequest(request: RequestToSign, key: SigningKey, nowSeconds: number): string {
  const { method, rawPath, query = {}, body = '' } = request;
  const pairs = Object.entries({
    ...query,
    auth_key: key.key,
    auth_timestamp: String(Math.floor(nowSeconds)),
    auth_version: '1.0',
    ...(body.length === 0 ? {} : { body_md5: hash('md5', body) }),
  });
  const rawQuery = pairs
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const canonical = canonicalQuery(collect(rawQuery).signed);
  return `${rawQuery}&auth_signature=${hmac(key, stringToSign(method, rawPath, canonical), 'hex')}`;
}
