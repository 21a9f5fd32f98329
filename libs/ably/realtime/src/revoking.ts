import { type CompatCore, CompatError, concerns } from '@carillon/ably-core';
import type { CompatConnection } from './connection.js';

const POLL_MS = 500;

/** Dependencies of {@link Revoking}. */
export interface RevokingParts {
  readonly core: Pick<CompatCore, 'revocations'>;
  readonly connections: Iterable<CompatConnection>;
  /** It may bring another token for a while. */
  readonly warn: (connection: CompatConnection) => void;
  readonly end: (connection: CompatConnection, error: CompatError) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Ends connections whose tokens are revoked on any node. The keys of local connections are polled twice a second.
 * Connections stay open while revocations cannot be read.
 */
export class Revoking {
  readonly #warned = new WeakMap<CompatConnection, string>();
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(private readonly parts: RevokingParts) {
    this.#timer = setInterval(() => void this.look(Date.now()), POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** One look at a time. Never rejects. */
  async look(nowMs: number): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const [keyName, connections] of this.#byKey()) await this.#judge(keyName, connections, nowMs);
    } catch (error) {
      this.parts.onTrouble('revoked tokens', error);
    }
    this.#isLooking = false;
  }

  #byKey(): ReadonlyMap<string, readonly CompatConnection[]> {
    const found = new Map<string, CompatConnection[]>();
    for (const connection of this.parts.connections) {
      const keyName = connection.principal.revocable?.keyName;
      if (keyName === undefined) continue;
      const same = found.get(keyName);
      if (same === undefined) found.set(keyName, [connection]);
      else same.push(connection);
    }
    return found;
  }

  async #judge(keyName: string, connections: readonly CompatConnection[], nowMs: number): Promise<void> {
    const all = await this.parts.core.revocations.list(keyName);
    if (all.length === 0) return;
    for (const connection of connections) {
      const { revocable } = connection.principal;
      if (revocable === null) continue;
      const times = all.filter((one) => concerns(one, revocable)).map(({ appliesAt }) => appliesAt);
      if (times.length === 0) continue;
      if (times.some((appliesAt) => nowMs >= appliesAt))
        this.parts.end(connection, new CompatError(40_141, 'the token is revoked'));
      else if (this.#warned.get(connection) !== connection.keyHash) {
        // Once for a token: with another one it has another key too.
        this.#warned.set(connection, connection.keyHash);
        this.parts.warn(connection);
      }
    }
  }
}
