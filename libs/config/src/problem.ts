/** One thing wrong with the configuration: where, and what the operator should change. */
export interface Problem {
  /** Path in the tree (`adapter.nats.servers`) or the name of an environment variable; empty for cross-section rules. */
  readonly path: string;
  /** Without the path in front. Never holds the value of a secret. */
  readonly message: string;
}
