import {
  CompatError,
  type ConnectionKey,
  type ConnectionKeys,
  type Principal,
  STATE_TTL_MS,
} from '@carillon/ably-core';
import { newSocketId } from '@carillon/protocol';
import type { CompatConnection } from './connection.js';

/** The limit of disconnected connections whose state is kept. */
const MAX_PARKED = 100_000;

/** The identity of an admitted connection. */
export interface Session extends ConnectionKey {
  readonly connectionId: string;
  /** Why it is not the one it wanted to be; null: it is, or wanted to be none. */
  readonly error: CompatError | null;
  /** The hash of the key it was resumed with; null for a new connection. */
  readonly takenHash: string | null;
}

const tooOld = (): CompatError =>
  new CompatError(80_008, 'connections of this version of the protocol are not resumed');

/** Disconnected connections that may be resumed, here or on another node. */
export class Sessions {
  readonly #parked = new Map<string, CompatConnection>();

  constructor(private readonly keys: ConnectionKeys) {}

  /** The number of resumable connections. */
  get size(): number {
    return this.#parked.size;
  }

  /** Rejects if the cache cannot be reached. `mayBe`: whether the requested connection may be resumed. */
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

  /** Keeps the state of a disconnected connection for a resume on this node. */
  park(connection: CompatConnection): void {
    if (this.#parked.size >= MAX_PARKED) return;
    this.#parked.set(connection.id, connection);
    setTimeout(() => {
      if (this.#parked.get(connection.id) === connection) this.#parked.delete(connection.id);
    }, STATE_TTL_MS).unref();
  }

  /** Removes and returns the kept state of a connection; null if there is none, or it has had another key since. */
  unpark(id: string, keyHash: string): CompatConnection | null {
    const parked = this.#parked.get(id);
    if (parked?.keyHash !== keyHash) return null;
    this.#parked.delete(id);
    return parked;
  }
}
