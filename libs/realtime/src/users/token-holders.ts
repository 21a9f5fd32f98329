import type { RevokedTokens } from '@carillon/broker';
import type { Subscriber } from '../subscriber/subscriber.js';
import { UserIndex } from './user-index.js';

/** Attributes that identify a capability token. */
export interface Token {
  readonly jti: string;
  readonly clientId: string;
}

/**
 * Connections of an app that hold a capability token, indexed by the attributes of a revocation. A subscriber without
 * a token is not stored and costs nothing.
 */
export class TokenHolders {
  readonly #tokens = new Map<Subscriber, Token>();
  readonly #byJti = new UserIndex();
  readonly #byClient = new UserIndex();

  /** Number of connections with a token. */
  get size(): number {
    return this.#tokens.size;
  }

  /** Returns the subscriber's token; null if it has none. */
  tokenOf(subscriber: Subscriber): Token | null {
    return this.#tokens.get(subscriber) ?? null;
  }

  /** Sets the token of an admitted subscriber, replacing an earlier one. */
  hold(subscriber: Subscriber, token: Token): void {
    this.release(subscriber);
    this.#tokens.set(subscriber, token);
    this.#byJti.add(token.jti, subscriber);
    this.#byClient.add(token.clientId, subscriber);
  }

  /** Removes the subscriber's token, if it has one. */
  release(subscriber: Subscriber): void {
    const token = this.#tokens.get(subscriber);
    if (token === undefined) return;
    this.#tokens.delete(subscriber);
    this.#byJti.remove(token.jti, subscriber);
    this.#byClient.remove(token.clientId, subscriber);
  }

  /** Returns the holders of revoked tokens, each once; a snapshot that is safe while connections open and close. */
  holdersOf({ jti, clientId }: RevokedTokens): ReadonlySet<Subscriber> {
    const byJti = jti === null ? [] : this.#byJti.of(jti);
    const byClient = clientId === null ? [] : this.#byClient.of(clientId);
    return new Set([...byJti, ...byClient]);
  }
}
