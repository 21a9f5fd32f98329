import type { RevokedTokens } from '@carillon/fabric';
import type { Connection } from '../connection/connection.js';
import { UserIndex } from './user-index.js';

/** What a capability token is known by. */
export interface Token {
  readonly jti: string;
  readonly clientId: string;
}

/**
 * Connections of an app that hold a capability token, found by what a revocation names. A connection without a token is
 * not in here and costs nothing.
 */
export class TokenHolders {
  readonly #tokens = new Map<Connection, Token>();
  readonly #byJti = new UserIndex();
  readonly #byClient = new UserIndex();

  /** Connections that hold one. */
  get size(): number {
    return this.#tokens.size;
  }

  /** What the connection holds; null: nothing. */
  tokenOf(connection: Connection): Token | null {
    return this.#tokens.get(connection) ?? null;
  }

  /** The connection, which is admitted, holds this token from now on, and no other. */
  hold(connection: Connection, token: Token): void {
    this.release(connection);
    this.#tokens.set(connection, token);
    this.#byJti.add(token.jti, connection);
    this.#byClient.add(token.clientId, connection);
  }

  /** The connection holds none any more. Nothing happens when it holds none. */
  release(connection: Connection): void {
    const token = this.#tokens.get(connection);
    if (token === undefined) return;
    this.#tokens.delete(connection);
    this.#byJti.remove(token.jti, connection);
    this.#byClient.remove(token.clientId, connection);
  }

  /** Those whose token is revoked, each once; the set may be used while connections come and go. */
  holdersOf({ jti, clientId }: RevokedTokens): ReadonlySet<Connection> {
    const byJti = jti === null ? [] : this.#byJti.of(jti);
    const byClient = clientId === null ? [] : this.#byClient.of(clientId);
    return new Set([...byJti, ...byClient]);
  }
}
