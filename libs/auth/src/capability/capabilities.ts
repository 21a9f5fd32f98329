import { OPEN_OPERATIONS, type Operation } from './operations.js';
import { matchesPattern } from './pattern.js';

/** Patterns by operation. */
export type Grants = ReadonlyMap<Operation, readonly string[]>;

/** What a connection may do, wherever that was said. Adds to the channel rules, replaces none of them. */
export class Capabilities {
  readonly #grants: Grants;
  readonly #open: boolean;

  private constructor(grants: Grants, open: boolean) {
    this.#grants = grants;
    this.#open = open;
  }

  /** Of a connection that brought none. */
  static readonly NONE = new Capabilities(new Map(), true);

  /** Of a token: what it does not grant is denied. */
  static ofToken(grants: Grants): Capabilities {
    return new Capabilities(grants, false);
  }

  /** Of a sign-in: an operation without a list of its own is as for a connection without capabilities. */
  static ofSignin(grants: Grants): Capabilities {
    return new Capabilities(grants, true);
  }

  /** Whether the operation may be done on the channel, or on what a wildcard subscription of that text reaches. */
  allows(operation: Operation, channel: string): boolean {
    const patterns = this.#grants.get(operation);
    if (patterns === undefined) return this.#open && OPEN_OPERATIONS.has(operation);
    return patterns.some((pattern) => matchesPattern(pattern, channel));
  }

  /** Whether a pattern says so explicitly; what is merely open by default does not count. */
  grants(operation: Operation, channel: string): boolean {
    return this.#grants.has(operation) && this.allows(operation, channel);
  }
}
