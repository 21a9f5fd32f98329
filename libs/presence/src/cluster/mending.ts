import { inGroups } from './in-groups.js';
import type { ShardName } from './keys.js';
import type { Shard } from './shard.js';
import type { ClusterStore } from './store.js';

const MAX_AT_ONCE = 100;

/** Dependencies of the repair. */
export interface MendingParts {
  readonly store: Pick<ClusterStore, 'leave' | 'noteDead' | 'noted'>;
  readonly nodeId: () => string;
  /** Every shard of this process. */
  readonly shards: () => readonly Shard[];
  /** The store has holdings of this process in the shard. */
  readonly known: (shard: ShardName) => void;
}

/**
 * Repairs the store after failures: shards whose last change it did not confirm, all shards if it may have older data
 * than it confirmed, and leftovers under former names of this node.
 */
export class Mending {
  /** Whether the store may have older data than it confirmed. */
  needsAudit = false;
  readonly #stuck = new Set<Shard>();
  /** Names this node had, of which something may be left in the store. */
  readonly #deadNames: string[] = [];

  constructor(private readonly parts: MendingParts) {}

  /** Whether a shard waits for the store. */
  get isStuck(): boolean {
    return this.#stuck.size > 0;
  }

  stuck(shard: Shard): void {
    this.#stuck.add(shard);
  }

  /** This node has another name from now on. */
  renamed(deadName: string): void {
    this.#deadNames.push(deadName);
    this.needsAudit = true;
  }

  /** Rejects if the store is unreachable; the rest is done by the next call. */
  async mend(): Promise<void> {
    if (this.needsAudit) await this.#auditEverything();
    else await this.#resumeStuck();
    // Everything is written under the new name before leftovers of a former name are removed.
    for (let [deadName] = this.#deadNames; deadName !== undefined; [deadName] = this.#deadNames) {
      await this.#leaveBehind(deadName);
      this.#deadNames.shift();
    }
  }

  /**
   * A store that lost everything may have received data under the former name before this node noticed; no shard of
   * this node knows of it.
   */
  async #leaveBehind(deadName: string): Promise<void> {
    const { store, shards } = this.parts;
    const names = shards().map(({ name }) => name);
    for (let at = 0; at < names.length; at += MAX_AT_ONCE) {
      await store.noteDead(deadName, names.slice(at, at + MAX_AT_ONCE));
    }
    await store.leave(deadName, false);
  }

  /** Audits every shard; a failed one resumes the audit later. */
  async #auditEverything(): Promise<void> {
    const { store, nodeId, shards, known } = this.parts;
    this.needsAudit = false;
    // Holdings of this node that it no longer has: the store may have been restored from an older copy.
    for (let cursor: string | null = '0'; cursor !== null;) {
      const page = await store.noted(nodeId(), cursor);
      for (const name of page.shards) known(name);
      ({ cursor } = page);
    }
    this.#stuck.clear();
    await inGroups(shards(), (shard) => shard.audit());
  }

  async #resumeStuck(): Promise<void> {
    const shards = [...this.#stuck];
    this.#stuck.clear();
    await inGroups(shards, (shard) => shard.resume());
  }
}
