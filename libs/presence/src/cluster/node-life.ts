import { randomBytes } from 'node:crypto';
import type { ClusterStore, Licence, Renewal } from './store.js';

const NONCE_BYTES = 4;

/** Name and lease of this node. After it was declared dead it continues under a new name. */
export class NodeLife {
  #nodeId: string;
  #lease: Renewal = { untilMs: 0, watchedMs: Infinity };

  constructor(
    private readonly store: ClusterStore,
    private readonly processId: string,
    private readonly leaseMs: number,
  ) {
    this.#nodeId = this.#newName();
  }

  get nodeId(): string {
    return this.#nodeId;
  }

  get licence(): Licence {
    return { nodeId: this.#nodeId, untilMs: this.#lease.untilMs };
  }

  /** Time for which some node always had a lease, as of the last renewal. */
  get watchedMs(): number {
    return this.#lease.watchedMs;
  }

  async begin(): Promise<void> {
    this.#lease = (await this.store.beat(this.#nodeId, this.leaseMs, true)) ?? this.#lease;
  }

  /**
   * Renews the lease. Returns the former name if the node was declared dead or forgotten by the store; null: renewed.
   */
  async renew(): Promise<string | null> {
    const renewed = await this.store.beat(this.#nodeId, this.leaseMs, false);
    if (renewed !== null) {
      this.#lease = renewed;
      return null;
    }
    const before = this.#nodeId;
    const name = this.#newName();
    const begun = await this.store.beat(name, this.leaseMs, true);
    this.#nodeId = name;
    this.#lease = begun ?? this.#lease;
    return before;
  }

  #newName(): string {
    return `${this.processId}-${randomBytes(NONCE_BYTES).toString('hex')}`;
  }
}
