import { bytesOf, type Hmac } from './crypto.js';
import { md5 } from './md5.js';

/** A request as it is signed. */
export interface Signable {
  readonly method: string;
  /** Path of the URL as it is sent, from the first `/`. */
  readonly path: string;
  /** Decoded. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** All query parameters of a signed request, `auth_signature` last. */
export async function signedPairs(
  key: string,
  hmac: Hmac,
  { method, path, query = {}, body, timestamp }: Signable,
): Promise<readonly (readonly [string, string])[]> {
  const bytes = typeof body === 'string' ? bytesOf(body) : body;
  const all = {
    ...query,
    auth_key: key,
    auth_timestamp: String(timestamp),
    auth_version: '1.0',
    ...(bytes === undefined || bytes.length === 0 ? {} : { body_md5: md5(bytes) }),
  };
  const pairs = Object.entries(all)
    .map(([name, value]) => [name, value, name.toLowerCase()] as const)
    .sort(([, , a], [, , b]) => (a < b ? -1 : Number(a > b)));
  const joined = pairs.map(([, value, lower]) => `${lower}=${value}`).join('&');
  const signature = await hmac.hex(`${method.toUpperCase()}\n${path}\n${joined}`);
  return [...pairs.map(([name, value]) => [name, value] as const), ['auth_signature', signature]];
}
