import { type ShardName, shardTag } from './keys.js';
import { Shard, type ShardHost, type ShardOwner } from './shard.js';

export interface ShardsParts {
  readonly host: ShardHost;
  /** Whether this node owes notifications of changes of the shard. */
  readonly owes: (name: ShardName) => boolean;
  /** Nothing of the shard has been held or wanted for a while. */
  readonly forgotten: (name: ShardName) => void;
  /** Unregisters shards of this node. */
  readonly unnote: (names: readonly ShardName[]) => Promise<void>;
}

const MAX_AT_ONCE = 100;

/** The shards that this process has to do with. */
export class Shards {
  readonly #byTag = new Map<string, Shard>();

  constructor(private readonly parts: ShardsParts) {}

  get all(): Shard[] {
    return [...this.#byTag.values()];
  }

  /** The shard, which begins to exist for this process when it is first wanted. */
  of(name: ShardName, owner: ShardOwner): Shard {
    const tag = shardTag(name);
    const known = this.#byTag.get(tag);
    if (known !== undefined) return known;
    const shard = new Shard(name, owner, this.parts.host);
    this.#byTag.set(tag, shard);
    return shard;
  }

  /** Forgets those of which nothing was held or wanted since the last time. */
  async tidy(): Promise<void> {
    const quiet: Shard[] = [];
    for (const shard of this.#byTag.values()) {
      if (this.#isOver(shard)) quiet.push(shard);
      else shard.isQuiet = true;
    }
    for (let at = 0; at < quiet.length; at += MAX_AT_ONCE) {
      await this.#forget(quiet.slice(at, at + MAX_AT_ONCE));
    }
  }

  #isOver(shard: Shard): boolean {
    return shard.isEmpty && shard.isQuiet && !this.parts.owes(shard.name);
  }

  async #forget(shards: readonly Shard[]): Promise<void> {
    const own = shards.filter((shard) => this.#isOver(shard));
    if (own.length === 0) return;
    // Wanted meanwhile, they are named again, which comes after this on the same connection.
    for (const { name } of own) {
      this.#byTag.delete(shardTag(name));
      this.parts.forgotten(name);
    }
    await this.parts.unnote(own.map(({ name }) => name));
  }
}
