import { createHash, randomUUID } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import type { Principal } from './authentication.js';
import { CompatError } from './compat-error.js';
import { isObject, parseJson } from './json.js';

/** The time for which a disconnected connection can be resumed. */
export const STATE_TTL_MS = 120_000;

/** A connection key and its hash. */
export interface ConnectionKey {
  readonly key: string;
  readonly keyHash: string;
}

/** The connection of a key. */
export interface KeyedConnection {
  readonly connectionId: string;
  readonly appId: string;
  /** Null: anonymous. */
  readonly clientId: string | null;
  /** Whether it may publish with any clientId. */
  readonly mayBeAnybody: boolean;
}

/** A connection that has been taken by its key, of which this is the hash. */
export interface TakenByKey {
  readonly connectionId: string;
  readonly keyHash: string;
}

/** The fields of a connection that its key record stores. */
export interface Keyed {
  readonly id: string;
  readonly principal: Principal;
  readonly keyHash: string;
}

/**
 * Replaces the record of a key by which a connection was resumed. Its lifetime exceeds that of every other key
 * record.
 */
const TAKEN = 'taken';
const TAKEN_MS = 5 * STATE_TTL_MS;

const KEY = /^[^:]{1,475}:[0-9a-f]{32}$/;

/** SHA-256 of a connection key, as it is stored; null if the text is no key. */
export const connectionKeyHash = (key: string): string | null => (KEY.test(key) ? hashOf(key) : null);

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
const nameOf = (hash: string): string => `compat:session:${hash}`;

/** Maps connection keys to connections; shared by all processes. Only hashes of keys are stored. */
export class ConnectionKeys {
  constructor(
    private readonly cache: Pick<
      Cache,
      'compareAndRemove' | 'compareAndSwap' | 'get' | 'set' | 'setIfAbsent'
    >,
  ) {}

  /** A new key for the connection. Rejects, as all here do, when the cache cannot be reached. */
  async renew(id: string, principal: Principal): Promise<ConnectionKey> {
    // Random UUIDs are made many at a time, random bytes one call after the other.
    const key = `c1:${randomUUID().replaceAll('-', '')}`;
    const keyHash = hashOf(key);
    await this.cache.set(nameOf(keyHash), recordOf(id, principal), STATE_TTL_MS);
    return { key, keyHash };
  }

  /**
   * Extends the lifetime of a live connection's key, and restores it if the cache has lost it. Returns false if the
   * connection was resumed with it elsewhere.
   */
  async refresh({ id, principal, keyHash }: Keyed): Promise<boolean> {
    const [name, record] = [nameOf(keyHash), recordOf(id, principal)];
    return (
      (await this.cache.compareAndSwap(name, record, record, STATE_TTL_MS)) ||
      this.cache.setIfAbsent(name, record, STATE_TTL_MS)
    );
  }

  /** Deletes the key, so that the connection cannot be resumed with it. */
  async end({ id, principal, keyHash }: Keyed): Promise<void> {
    await this.cache.compareAndRemove(nameOf(keyHash), recordOf(id, principal));
  }

  /** Resolves to the connection to resume and invalidates the key, or to the reason it cannot be resumed. */
  async take(key: string, principal: Principal): Promise<TakenByKey | CompatError> {
    if (!KEY.test(key)) return new CompatError(80_018, 'the connection key is not valid');
    const keyHash = hashOf(key);
    const name = nameOf(keyHash);
    const text = await this.cache.get(name);
    const found = text === null ? null : read(text);
    if (text === null || found === null) return gone();
    if (found.appId !== principal.app.id || found.clientId !== principal.clientId)
      return new CompatError(80_011, 'the connection is that of another client');
    // If two clients present the same key, only one compare-and-swap succeeds.
    const isTaken = await this.cache.compareAndSwap(name, text, TAKEN, TAKEN_MS);
    return isTaken ? { connectionId: found.connectionId, keyHash } : gone();
  }

  /**
   * The connection of the app on whose behalf a server speaks.
   *
   * @throws CompatError 40006, in a promise, when the key is not that of one.
   */
  async find(key: string, appId: string): Promise<KeyedConnection> {
    const text = KEY.test(key) ? await this.cache.get(nameOf(hashOf(key))) : null;
    const found = text === null ? null : read(text);
    if (found?.appId !== appId)
      throw new CompatError(40_006, 'the connection key is not that of a connection');
    return found;
  }
}

const gone = (): CompatError => new CompatError(80_008, 'the connection cannot be resumed any more');

const recordOf = (connectionId: string, { app, clientId, mayBeAnybody }: Principal): string =>
  JSON.stringify({ connectionId, appId: app.id, clientId, mayBeAnybody } satisfies KeyedConnection);

function read(text: string): KeyedConnection | null {
  const record = parseJson(text);
  if (!isObject(record)) return null;
  const { connectionId, appId, clientId, mayBeAnybody } = record;
  if (typeof connectionId !== 'string' || typeof appId !== 'string') return null;
  return {
    connectionId,
    appId,
    clientId: typeof clientId === 'string' ? clientId : null,
    mayBeAnybody: mayBeAnybody === true,
  };
}
