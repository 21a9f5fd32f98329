import type { RevokedTokens } from '@carillon/broker';
import type { Subscriber } from '../subscriber/subscriber.js';
import { UserIndex } from './user-index.js';

/** What a capability token is known by. */
export interface Token {
  readonly jti: string;
  readonly clientId: string;
}

/**
 * Connections of an app that hold a capability token, found by what a revocation names. A subscriber without a token is
 * not in here and costs nothing.
 */
export class TokenHolders {
  readonly #tokens = new Map<Subscriber, Token>();
  readonly #byJti = new UserIndex();
  readonly #byClient = new UserIndex();

  /** Connections that hold one. */
  get size(): number {
    return this.#tokens.size;
  }

  /** What the subscriber holds; null: nothing. */
  tokenOf(subscriber: Subscriber): Token | null {
    return this.#tokens.get(subscriber) ?? null;
  }

  /** The subscriber, which is admitted, holds this token from now on, and no other. */
  hold(subscriber: Subscriber, token: Token): void {
    this.release(subscriber);
    this.#tokens.set(subscriber, token);
    this.#byJti.add(token.jti, subscriber);
    this.#byClient.add(token.clientId, subscriber);
  }

  /** The subscriber holds none any more. Nothing happens when it holds none. */
  release(subscriber: Subscriber): void {
    const token = this.#tokens.get(subscriber);
    if (token === undefined) return;
    this.#tokens.delete(subscriber);
    this.#byJti.remove(token.jti, subscriber);
    this.#byClient.remove(token.clientId, subscriber);
  }

  /** Those whose token is revoked, each once; the set may be used while connections come and go. */
  holdersOf({ jti, clientId }: RevokedTokens): ReadonlySet<Subscriber> {
    const byJti = jti === null ? [] : this.#byJti.of(jti);
    const byClient = clientId === null ? [] : this.#byClient.of(clientId);
    return new Set([...byJti, ...byClient]);
  }
}
