import { randomBytes } from 'node:crypto';
import type { ClusterStore, Licence, Renewal } from './store.js';

const NONCE_BYTES = 4;

/** The name and the lease of this node. One that was taken for dead lives on under another name. */
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

  /** For how long there had always been somebody with a lease when this one was renewed. */
  get watchedMs(): number {
    return this.#lease.watchedMs;
  }

  async begin(): Promise<void> {
    this.#lease = (await this.store.beat(this.#nodeId, this.leaseMs, true)) ?? this.#lease;
  }

  /** Renews the lease. The name it had when it was taken for dead, or forgotten by the store; null: it lives on. */
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
