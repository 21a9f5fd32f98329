import {
  CompatError,
  type ConnectionKey,
  type ConnectionKeys,
  type Principal,
  STATE_TTL_MS,
} from '@carillon/ably-core';
import { newSocketId } from '@carillon/protocol';
import type { CompatConnection } from './connection.js';

/** What is kept of connections that may come back. */
const MAX_PARKED = 100_000;

/** What a connection comes in as. */
export interface Session extends ConnectionKey {
  readonly connectionId: string;
  /** Why it is not the one it wanted to be; null: it is, or wanted to be none. */
  readonly error: CompatError | null;
  /** Hash of the key that it came back with; null: it is a new one. */
  readonly takenHash: string | null;
}

const tooOld = (): CompatError =>
  new CompatError(80_008, 'connections of this version of the protocol are not resumed');

/** Connections that were cut, and may come back, here or elsewhere. */
export class Sessions {
  readonly #parked = new Map<string, CompatConnection>();

  constructor(private readonly keys: ConnectionKeys) {}

  /** How many may come back. */
  get size(): number {
    return this.#parked.size;
  }

  /** Rejects when the cache cannot be reached. `mayBe`: it may be the one that it wants to be. */
  async open(wanted: string | null, principal: Principal, mayBe: boolean): Promise<Session> {
    const found = wanted === null ? null : mayBe ? await this.keys.take(wanted, principal) : tooOld();
    const taken = found === null || found instanceof CompatError ? null : found;
    const connectionId = taken?.connectionId ?? newSocketId();
    const key = await this.keys.renew(connectionId, principal);
    return {
      connectionId,
      ...key,
      takenHash: taken?.keyHash ?? null,
      error: found instanceof CompatError ? found : null,
    };
  }

  /** Remembers what a connection that was cut has been told, in case it comes back here. */
  park(connection: CompatConnection): void {
    if (this.#parked.size >= MAX_PARKED) return;
    this.#parked.set(connection.id, connection);
    setTimeout(() => {
      if (this.#parked.get(connection.id) === connection) this.#parked.delete(connection.id);
    }, STATE_TTL_MS).unref();
  }

  /** What is kept of the connection, and not any more; null: nothing, or it has had another key since. */
  unpark(id: string, keyHash: string): CompatConnection | null {
    const parked = this.#parked.get(id);
    if (parked?.keyHash !== keyHash) return null;
    this.#parked.delete(id);
    return parked;
  }
}
