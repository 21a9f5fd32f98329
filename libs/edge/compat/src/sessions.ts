import { createHash, randomBytes } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { CompatError, isObject, parseJson, type Principal } from '@carillon/compat-core';
import { newSocketId } from '@carillon/protocol';
import type { CompatConnection } from './connection.js';

export const STATE_TTL_MS = 120_000;
const KEY_BYTES = 16;
const KEY = /^[^:]{1,475}:[0-9a-f]{32}$/;
/** Receipts that are kept of a connection that may come back. */
const MAX_PARKED = 100_000;

/** What a connection comes in as. */
export interface Session {
  readonly connectionId: string;
  readonly key: string;
  readonly keyHash: string;
  /** Why it is not the one it wanted to be; null: it is, or wanted to be none. */
  readonly error: CompatError | null;
  readonly isResumed: boolean;
}

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
const nameOf = (hash: string): string => `compat:session:${hash}`;

/** Which connection a key stands for; shared by all processes, so that a client may come back to any. */
export class Sessions {
  readonly #parked = new Map<string, CompatConnection>();

  constructor(private readonly cache: Pick<Cache, 'compareAndRemove' | 'get' | 'set'>) {}

  /** Rejects when the cache cannot be reached. */
  async open(wanted: string | null, principal: Principal): Promise<Session> {
    const found = wanted === null ? { error: null } : await this.#take(wanted, principal);
    const connectionId = 'connectionId' in found ? found.connectionId : newSocketId();
    const { key, keyHash } = await this.renew(connectionId, principal);
    const isResumed = 'connectionId' in found;
    return { connectionId, key, keyHash, isResumed, error: 'error' in found ? found.error : null };
  }

  /** A new key for the connection. */
  async renew(connectionId: string, principal: Principal): Promise<{ key: string; keyHash: string }> {
    const key = `c1:${randomBytes(KEY_BYTES).toString('hex')}`;
    const keyHash = hashOf(key);
    await this.cache.set(nameOf(keyHash), recordOf(connectionId, principal), STATE_TTL_MS);
    return { key, keyHash };
  }

  /** Still here: its key is good for another while. */
  async refresh({ id, principal, keyHash }: CompatConnection): Promise<void> {
    await this.cache.set(nameOf(keyHash), recordOf(id, principal), STATE_TTL_MS);
  }

  /** It will not come back. */
  async end({ id, principal, keyHash }: CompatConnection): Promise<void> {
    await this.cache.compareAndRemove(nameOf(keyHash), recordOf(id, principal));
  }

  /** Remembers what a connection that was cut has been told, in case it comes back here. */
  park(connection: CompatConnection): void {
    if (this.#parked.size >= MAX_PARKED) return;
    this.#parked.set(connection.id, connection);
    setTimeout(() => {
      if (this.#parked.get(connection.id) === connection) this.#parked.delete(connection.id);
    }, STATE_TTL_MS).unref();
  }

  unpark(id: string): CompatConnection | null {
    const parked = this.#parked.get(id) ?? null;
    this.#parked.delete(id);
    return parked;
  }

  async #take(key: string, principal: Principal): Promise<{ connectionId: string } | { error: CompatError }> {
    if (!KEY.test(key)) return { error: new CompatError(80_018, 'the connection key is not valid') };
    const name = nameOf(hashOf(key));
    const text = await this.cache.get(name);
    const record = text === null ? null : parseJson(text);
    const gone = new CompatError(80_008, 'the connection cannot be resumed any more');
    if (text === null || !isObject(record)) return { error: gone };
    const { connectionId, appId, clientId } = record;
    if (appId !== principal.app.id || clientId !== principal.clientId)
      return { error: new CompatError(80_011, 'the connection is that of another client') };
    // Of two who come with one key, one finds it gone.
    if (typeof connectionId !== 'string' || !(await this.cache.compareAndRemove(name, text)))
      return { error: gone };
    return { connectionId };
  }
}

const recordOf = (connectionId: string, { app, clientId }: Principal): string =>
  JSON.stringify({ connectionId, appId: app.id, clientId });
