import {
  type Changes,
  type Found,
  type HistoryStore,
  StoreFailure,
  streamName,
  type Wanted,
} from '@carillon/history-store';

/** The part of a store that a lane commits with. */
export type Transactions = Pick<HistoryStore, 'commit'>;

/** So many transactions run at one time: while the database works for one, the next gathers. */
const MAX_RUNNING = 2;
/** What one takes at most, unless a single lane brings more. */
const MAX_RECORDS = 500;

/** What a lane waits with. */
interface Share {
  readonly wanted: Wanted;
  readonly decide: (found: Found) => Changes;
  readonly committed: () => void;
  readonly failed: (thrown: unknown) => void;
}

/**
 * Commits what several lanes of a process bring in one transaction, since most of what a small one costs is its own
 * beginning and end. Each lane decides for itself. When a shared transaction is not taken because of what somebody
 * brought, all commit again alone, so that only the one at fault fails.
 */
export class SharedTransactions implements Transactions {
  #waiting: Share[] = [];
  #running = 0;
  #startsSoon = false;

  constructor(private readonly store: Transactions) {}

  commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    // These look into what is stored of one stream: nobody else should wait for that.
    if (wanted.below !== null || wanted.inspect || wanted.messageIdAt !== undefined)
      return this.store.commit(wanted, decide);
    return new Promise((resolve, reject) => {
      let committed = (): void => reject(new Error('a transaction was committed without being decided'));
      this.#waiting.push({
        wanted,
        decide: (found) => {
          const decision = decide(found);
          committed = () => resolve(decision);
          return decision.changes;
        },
        committed: () => committed(),
        failed: reject,
      });
      this.#startSoon();
    });
  }

  /** Once everything is here that this turn of the event loop brings. */
  #startSoon(): void {
    if (this.#startsSoon || this.#running >= MAX_RUNNING || this.#waiting.length === 0) return;
    this.#startsSoon = true;
    setImmediate(() => {
      this.#startsSoon = false;
      while (this.#running < MAX_RUNNING && this.#waiting.length > 0) void this.#run(this.#take());
    });
  }

  async #run(shares: readonly Share[]): Promise<void> {
    this.#running += 1;
    await this.#commit(shares);
    this.#running -= 1;
    this.#startSoon();
  }

  async #commit(shares: readonly Share[]): Promise<void> {
    try {
      await this.store.commit(wantedByAll(shares), (found) => ({
        changes: changesOf(shares.map(({ decide }) => decide(found))),
      }));
      for (const { committed } of shares) committed();
    } catch (thrown) {
      const passes = thrown instanceof StoreFailure && thrown.transient;
      if (passes || shares.length === 1) for (const { failed } of shares) failed(thrown);
      else for (const share of shares) await this.#commit([share]);
    }
  }

  /** The first that wait and fit. Two that touch the same stream cannot be decided side by side. */
  #take(): Share[] {
    const names = new Set<string>();
    const taken: Share[] = [];
    const left: Share[] = [];
    let records = 0;
    for (const share of this.#waiting) {
      const own = namesOf(share.wanted);
      const count = share.wanted.receipts.scopes.length;
      const fits =
        taken.length === 0 || (records + count <= MAX_RECORDS && !own.some((name) => names.has(name)));
      (fits ? taken : left).push(share);
      if (!fits) continue;
      records += count;
      for (const name of own) names.add(name);
    }
    this.#waiting = left;
    return taken;
  }
}

/** Streams and receipts: what no two may write. */
const namesOf = ({ streams, receipts }: Wanted): readonly string[] => [
  ...streams.map(({ address }) => streamName(address)),
  ...receipts.scopes,
];

function wantedByAll(shares: readonly Share[]): Wanted {
  const all = shares.map(({ wanted }) => wanted);
  return {
    nowMs: Math.max(...all.map(({ nowMs }) => nowMs)),
    streams: all.flatMap(({ streams }) => streams),
    receipts: {
      scopes: all.flatMap(({ receipts }) => receipts.scopes),
      sinceMs: Math.min(...all.map(({ receipts }) => receipts.sinceMs)),
    },
    members: all.flatMap(({ members }) => members),
    crowds: all.flatMap(({ crowds }) => crowds),
    below: null,
    inspect: false,
  };
}

const changesOf = (all: readonly Changes[]): Changes => ({
  streams: all.flatMap(({ streams }) => streams),
  records: all.flatMap(({ records }) => records),
  receipts: all.flatMap(({ receipts }) => receipts),
  presenceEvents: all.flatMap(({ presenceEvents }) => presenceEvents),
  presenceMembers: all.flatMap(({ presenceMembers }) => presenceMembers),
  presenceCheckpoints: all.flatMap(({ presenceCheckpoints }) => presenceCheckpoints),
  operatorLog: all.flatMap(({ operatorLog }) => operatorLog),
});
