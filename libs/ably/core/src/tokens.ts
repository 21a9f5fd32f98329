import { createHash, randomBytes } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { unavailable } from './compat-error.js';
import { isObject, parseJson } from './json.js';

/** The stored record of a token; the token itself is not stored. */
export interface TokenRecord {
  readonly appId: string;
  readonly keyName: string;
  readonly clientId: string | null;
  readonly issuedMs: number;
  readonly expiresMs: number;
  /** JSON text. */
  readonly capability: string;
  readonly rotationId: string;
}

const TOKEN_BYTES = 24;
const KEPT_AFTER_EXPIRY_MS = 3_600_000;

const nameOf = (token: string): string => `compat:token:${createHash('sha256').update(token).digest('hex')}`;

/** Returns null if the text is not a token record. */
export function readTokenRecord(text: string): TokenRecord | null {
  const kept = parseJson(text);
  if (!isObject(kept)) return null;
  const { appId, keyName, clientId, issuedMs, expiresMs, capability, rotationId } = kept;
  const isWhole =
    [appId, keyName, capability, rotationId].every((one) => typeof one === 'string') &&
    (clientId === null || typeof clientId === 'string') &&
    Number.isSafeInteger(issuedMs) &&
    Number.isSafeInteger(expiresMs);
  return isWhole ? (kept as unknown as TokenRecord) : null;
}

/** Opaque tokens and used nonces, in the cache that all processes share. */
export class Tokens {
  constructor(private readonly cache: Pick<Cache, 'get' | 'setIfAbsent'>) {}

  /** Stores the record of a new token and returns the token. */
  async issue(record: TokenRecord): Promise<string> {
    const token = `t1.${randomBytes(TOKEN_BYTES).toString('base64url')}`;
    const ttlMs = record.expiresMs - record.issuedMs + KEPT_AFTER_EXPIRY_MS;
    await orUnavailable(this.cache.setIfAbsent(nameOf(token), JSON.stringify(record), ttlMs));
    return token;
  }

  /** Null: unknown. */
  async find(token: string): Promise<TokenRecord | null> {
    const text = await orUnavailable(this.cache.get(nameOf(token)));
    return text === null ? null : readTokenRecord(text);
  }

  /** False: it was used before. */
  claimNonce(keyName: string, nonce: string, ttlMs: number): Promise<boolean> {
    const id = createHash('sha256').update(`${keyName}\0${nonce}`).digest('hex');
    return orUnavailable(this.cache.setIfAbsent(`compat:nonce:${id}`, '1', ttlMs));
  }
}

/** @throws CompatError 50000 when the store cannot be asked. */
export async function orUnavailable<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked;
  } catch {
    throw unavailable();
  }
}
