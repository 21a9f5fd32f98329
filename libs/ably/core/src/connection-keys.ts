import { createHash, randomUUID } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import type { Principal } from './authentication.js';
import { CompatError } from './compat-error.js';
import { isObject, parseJson } from './json.js';

/** How long a connection may be away and still come back. */
export const STATE_TTL_MS = 120_000;

/** A key, and what is remembered of it. */
export interface ConnectionKey {
  readonly key: string;
  readonly keyHash: string;
}

/** The connection that a key stands for. */
export interface KeyedConnection {
  readonly connectionId: string;
  readonly appId: string;
  /** Null: it is nobody. */
  readonly clientId: string | null;
  /** It may publish as whoever it names. */
  readonly mayBeAnybody: boolean;
}

/** A connection that has been taken by its key, of which this is the hash. */
export interface TakenByKey {
  readonly connectionId: string;
  readonly keyHash: string;
}

/** A connection as its key stands for it. */
export interface Keyed {
  readonly id: string;
  readonly principal: Principal;
  readonly keyHash: string;
}

/** What stands where the key of a connection stood that has come back by it, and how long: longer than any other looks. */
const TAKEN = 'taken';
const TAKEN_MS = 5 * STATE_TTL_MS;

const KEY = /^[^:]{1,475}:[0-9a-f]{32}$/;

/** SHA-256 of a connection key, as it is stored; null if the text is no key. */
export const connectionKeyHash = (key: string): string | null => (KEY.test(key) ? hashOf(key) : null);

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
const nameOf = (hash: string): string => `compat:session:${hash}`;

/** Which connection a key stands for; shared by all processes. Keys themselves are kept nowhere. */
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

  /** Still here: its key is good for another while, also where the cache had lost it. False: somebody has come back by it. */
  async refresh({ id, principal, keyHash }: Keyed): Promise<boolean> {
    const [name, record] = [nameOf(keyHash), recordOf(id, principal)];
    return (
      (await this.cache.compareAndSwap(name, record, record, STATE_TTL_MS)) ||
      this.cache.setIfAbsent(name, record, STATE_TTL_MS)
    );
  }

  /** It will not come back with this key. */
  async end({ id, principal, keyHash }: Keyed): Promise<void> {
    await this.cache.compareAndRemove(nameOf(keyHash), recordOf(id, principal));
  }

  /** The connection that a client comes back as, for which the key stands no more; or why it cannot. */
  async take(key: string, principal: Principal): Promise<TakenByKey | CompatError> {
    if (!KEY.test(key)) return new CompatError(80_018, 'the connection key is not valid');
    const keyHash = hashOf(key);
    const name = nameOf(keyHash);
    const text = await this.cache.get(name);
    const found = text === null ? null : read(text);
    if (text === null || found === null) return gone();
    if (found.appId !== principal.app.id || found.clientId !== principal.clientId)
      return new CompatError(80_011, 'the connection is that of another client');
    // Of two who come with one key, one finds it taken.
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
