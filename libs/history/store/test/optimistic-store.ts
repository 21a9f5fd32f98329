import {
  type BatchLimits,
  type Changes,
  type Found,
  MemoryHistoryStore,
  StoreFailure,
  streamName,
  type Wanted,
} from '../src/index.js';

/** Rounds of one commit that others are ahead of; more mean that something is wrong. */
const MAX_ROUNDS = 100;

const NOTHING: Changes = {
  streams: [],
  records: [],
  receipts: [],
  presenceEvents: [],
  presenceMembers: [],
  presenceCheckpoints: [],
  operatorLog: [],
};

/**
 * A store without locks, as over a database without row locks: it reads, decides, and writes only if every stream is
 * unchanged; otherwise it retries. The underlying store reads and writes a batch atomically.
 */
export class OptimisticStore extends MemoryHistoryStore {
  override readonly limits: BatchLimits = { records: 30, bytes: 512 * 1024, streams: 4, batches: 16 };
  /** Number of conflicts with other writers. */
  conflicts = 0;

  override async commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    if (wanted.streams.length > this.limits.streams) throw new Error('more streams than a batch may have');
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { found } = await super.commit(wanted, (seen) => ({ found: seen, changes: NOTHING }));
      const decision = decide(found);
      // A database takes time, in which other calls begin.
      await new Promise((later) => void setImmediate(later));
      if (await this.#write(wanted, found, decision.changes)) return decision;
      this.conflicts += 1;
    }
    throw new StoreFailure('conflict', 'others were ahead every time');
  }

  async #write(wanted: Wanted, found: Found, changes: Changes): Promise<boolean> {
    const { isSame } = await super.commit(wanted, (now) => {
      const same = wanted.streams.every(({ address }) => {
        const name = streamName(address);
        return JSON.stringify(now.streams.get(name)) === JSON.stringify(found.streams.get(name));
      });
      return { isSame: same, changes: same ? changes : NOTHING };
    });
    return isSame;
  }
}
