import { randomBytes } from 'node:crypto';
import type { ClusterStore, Licence } from './store.js';

const NONCE_BYTES = 4;

/** The name and the lease of this node. One that was taken for dead lives on under another name. */
export class NodeLife {
  #nodeId: string;
  #untilMs = 0;

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
    return { nodeId: this.#nodeId, untilMs: this.#untilMs };
  }

  async begin(): Promise<void> {
    this.#untilMs = (await this.store.beat(this.#nodeId, this.leaseMs, true)) ?? 0;
  }

  /** Renews the lease. The name it had when it was taken for dead, or forgotten by the store; null: it lives on. */
  async renew(): Promise<string | null> {
    const untilMs = await this.store.beat(this.#nodeId, this.leaseMs, false);
    if (untilMs !== null) {
      this.#untilMs = untilMs;
      return null;
    }
    const before = this.#nodeId;
    const name = this.#newName();
    const begunMs = await this.store.beat(name, this.leaseMs, true);
    this.#nodeId = name;
    this.#untilMs = begunMs ?? 0;
    return before;
  }

  #newName(): string {
    return `${this.processId}-${randomBytes(NONCE_BYTES).toString('hex')}`;
  }
}
