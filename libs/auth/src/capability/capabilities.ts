import { OPEN_OPERATIONS, type Operation } from './operations.js';
import { matchesPattern } from './pattern.js';

/** Patterns by operation. */
export type Grants = ReadonlyMap<Operation, readonly string[]>;

/** Capabilities of a connection, from a token or a sign-in. They add to the channel rules and replace none. */
export class Capabilities {
  readonly #grants: Grants;
  readonly #open: boolean;

  private constructor(grants: Grants, open: boolean) {
    this.#grants = grants;
    this.#open = open;
  }

  /** Capabilities of a connection without any. */
  static readonly NONE = new Capabilities(new Map(), true);

  /** From a token: operations it does not grant are denied. */
  static ofToken(grants: Grants): Capabilities {
    return new Capabilities(grants, false);
  }

  /** From a sign-in: operations without a list are allowed as for a connection without capabilities. */
  static ofSignin(grants: Grants): Capabilities {
    return new Capabilities(grants, true);
  }

  /** Whether the operation is allowed on the channel, or on all channels of a wildcard subscription. */
  allows(operation: Operation, channel: string): boolean {
    const patterns = this.#grants.get(operation);
    if (patterns === undefined) return this.#open && OPEN_OPERATIONS.has(operation);
    return patterns.some((pattern) => matchesPattern(pattern, channel));
  }

  /** Whether a pattern grants it explicitly, not by default. */
  grants(operation: Operation, channel: string): boolean {
    return this.#grants.has(operation) && this.allows(operation, channel);
  }
}
