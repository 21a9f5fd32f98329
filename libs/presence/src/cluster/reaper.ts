import type { Owed } from '../port.js';
import type { ShardName } from './keys.js';
import type { Reaped } from './operation.js';
import type { OwedBook } from './owed-book.js';
import type { OwedEntry } from './owed-entry.js';
import type { ClusterStore, Licence, Reaping } from './store.js';

/** Time for which a claim on a dead node excludes other reapers, unless renewed. */
const CLAIM_MS = 15_000;
const MAX_AT_ONCE = 50;

/** Receives the changes caused by reaping a shard, before they are confirmed to the store. */
export type OnReaped = (shard: ShardName, changes: readonly Reaped[], deadNodeId: string) => void;

/** Receives a change whose notification a dead node owed. */
export type OnOwed = (shard: ShardName, entry: OwedEntry, owed: Owed) => void;

/**
 * Removes dead nodes: the first live node to claim one removes its holdings shard by shard. Work that a dying reaper
 * has not confirmed is repeated by the next.
 */
export class Reaper {
  constructor(
    private readonly store: ClusterStore,
    private readonly book: OwedBook,
    private readonly onReaped: OnReaped,
    private readonly onOwed: OnOwed,
  ) {}

  /** Clears up after those that are dead now. How many of them are done with; others have leases that still run. */
  async sweep(nodeId: string): Promise<number> {
    let done = 0;
    const seen = new Set<string>();
    for (;;) {
      const found = await this.store.claim(nodeId, CLAIM_MS, { leftOut: seen });
      if (found === null) return done;
      seen.add(found.dead);
      if (await this.#clearUp(found.dead, found.claim)) done += 1;
    }
  }

  async #clearUp(dead: string, claim: Licence): Promise<boolean> {
    let licence = claim;
    for (let cursor: string | null = '0'; cursor !== null;) {
      const page = await this.store.noted(dead, cursor);
      for (let at = 0; at < page.shards.length; at += MAX_AT_ONCE) {
        const renewed = await this.store.claim(licence.nodeId, CLAIM_MS, { dead });
        if (renewed === null) return false;
        licence = renewed.claim;
        await this.#takeBack(page.shards.slice(at, at + MAX_AT_ONCE), dead, licence);
      }
      ({ cursor } = page);
    }
    if ((await this.store.countNoted(dead)) > 0) return false;
    await this.store.strikeOff(licence.nodeId, dead);
    return true;
  }

  async #takeBack(shards: readonly ShardName[], dead: string, claim: Licence): Promise<void> {
    const left = await Promise.all(
      shards.map((shard) => this.#shard({ shard, dead, claim, owes: this.book.isOwed(shard) })),
    );
    const emptied = shards.filter((_, at) => left[at] === 0);
    if (emptied.length > 0) await this.store.unnote(dead, emptied);
  }

  /** Reaps one shard. Returns the number of remaining entries. */
  async #shard(reaping: Reaping): Promise<number> {
    const { shard, dead } = reaping;
    let isConfirmed = false;
    for (let cursor = '0'; ;) {
      const page = this.book.reaped(reaping, await this.store.reap(reaping, cursor, isConfirmed));
      if (page.changes.length > 0) this.onReaped(shard, page.changes, dead);
      // The last page with changes is confirmed by asking once more.
      if (page.cursor === null && page.changes.length === 0) return page.left + (await this.#owed(reaping));
      isConfirmed = true;
      cursor = page.cursor ?? '0';
    }
  }

  /**
   * Takes over the unreported changes of the dead node, which stay under its name until they are settled. Returns the
   * number of remaining ones.
   */
  async #owed({ shard, dead, owes }: Reaping): Promise<number> {
    if (!owes) return 0;
    let left = 0;
    for (let cursor: string | null = '0'; cursor !== null;) {
      const page = await this.store.owed(shard, dead, cursor);
      // The earlier of two changes of one subject first.
      for (const entry of page.entries.sort((one, other) => one.serial - other.serial)) {
        const owed = this.book.found(shard, dead, entry);
        if (owed !== null) this.onOwed(shard, entry, owed);
      }
      left += page.entries.length;
      ({ cursor } = page);
    }
    return left;
  }
}
