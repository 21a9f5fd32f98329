import { isIPv6 } from 'node:net';
import { Secret } from '@carillon/config';

/** Credentials; null: not given, or no password needed. */
export interface RedisCredentials {
  readonly username: string | null;
  readonly password: Secret | null;
}

/** Address of a server. An IPv6 host has no brackets. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

/** Parsed address of the configuration; null: not given. */
export interface RedisAddress extends RedisCredentials {
  readonly host: string;
  readonly port: number | null;
  readonly db: number | null;
  /** Whether the scheme is `rediss://`. */
  readonly tls: boolean;
}

const SCHEME = /^rediss?:\/\//i;

/**
 * Reads `host`, `host:port` or a `redis://` or `rediss://` URL. Throws an error that names the setting and not the
 * text, which may hold a password.
 */
export function parseRedisAddress(text: string, setting: string): RedisAddress {
  const wrong = (): Error => new Error(`${setting}: not an address of a Redis server`);
  if (isIPv6(text)) return { host: text, port: null, db: null, tls: false, ...NO_CREDENTIALS };
  if (!SCHEME.test(text) && text.includes('://')) throw wrong();
  try {
    const url = new URL(SCHEME.test(text) ? text : `redis://${text}`);
    const db = databaseOf(url);
    if (url.hostname === '' || db === undefined) throw wrong();
    return {
      host: decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? null : Number(url.port),
      db,
      tls: url.protocol === 'rediss:',
      username: url.username === '' ? null : decodeURIComponent(url.username),
      password: url.password === '' ? null : new Secret(decodeURIComponent(url.password)),
    };
  } catch {
    throw wrong();
  }
}

const NO_CREDENTIALS: RedisCredentials = { username: null, password: null };

/** Undefined: the path is no number. */
function databaseOf({ pathname }: URL): number | null | undefined {
  if (pathname === '' || pathname === '/') return null;
  return /^\/\d{1,9}$/.test(pathname) ? Number(pathname.slice(1)) : undefined;
}
