/** One configuration problem: its location, and the change the operator should make. */
export interface Problem {
  /**
   * Path in the tree (`adapter.nats.servers`) or the name of an environment variable; empty for cross-section rules.
   */
  readonly path: string;
  /** Without the path in front. Never holds the value of a secret. */
  readonly message: string;
}
