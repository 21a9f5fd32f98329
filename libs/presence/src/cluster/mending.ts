import { inGroups } from './in-groups.js';
import type { ShardName } from './keys.js';
import type { Shard } from './shard.js';
import type { ClusterStore } from './store.js';

const MOST_AT_ONCE = 100;

/** What mending works with. */
export interface MendingParts {
  readonly store: Pick<ClusterStore, 'leave' | 'noteDead' | 'noted'>;
  readonly nodeId: () => string;
  /** Every shard of this process. */
  readonly shards: () => readonly Shard[];
  /** The store says that this process holds something of the shard. */
  readonly known: (shard: ShardName) => void;
}

/**
 * Makes good what the store missed: shards whose last change it did not take, all of them where it may have something older
 * than it said, and what is left in it under names that this node had.
 */
export class Mending {
  /** Whether the store may have something older than it said. */
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

  /** Rejects when the store cannot be asked; what is left to do is done the next time. */
  async mend(): Promise<void> {
    if (this.needsAudit) await this.#auditEverything();
    else await this.#resumeStuck();
    // Everything is said again under the new name; only now is what is left of an old one taken back.
    for (let [deadName] = this.#deadNames; deadName !== undefined; [deadName] = this.#deadNames) {
      await this.#leaveBehind(deadName);
      this.#deadNames.shift();
    }
  }

  /**
   * A store that had lost everything may have been told something under the old name before this node found out: it
   * knows of no shard where it would have to be taken back.
   */
  async #leaveBehind(deadName: string): Promise<void> {
    const { store, shards } = this.parts;
    const names = shards().map(({ name }) => name);
    for (let at = 0; at < names.length; at += MOST_AT_ONCE) {
      await store.noteDead(deadName, names.slice(at, at + MOST_AT_ONCE));
    }
    await store.leave(deadName, false);
  }

  /** Every shard is looked through; one that fails goes on with that when it is resumed. */
  async #auditEverything(): Promise<void> {
    const { store, nodeId, shards, known } = this.parts;
    this.needsAudit = false;
    // What the store has of this node although nobody here wants it: it may have come back from an older copy.
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
