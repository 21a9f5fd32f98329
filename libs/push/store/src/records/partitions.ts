import type { Row } from '@carillon/records';
import { pause } from '@carillon/runtime';
import { PushStoreUnavailable } from '../port/port.js';
import type { StoreObserver } from '../sql/session.js';
import { Draft } from './draft.js';
import { chunks } from './group-by.js';
import type { Rows } from './rows.js';
import { Turns } from './turns.js';

/** Tries of one step whose rows others change at the same time. */
const MAX_TRIES = 14;
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 300;

/** Runs steps: each reads rows of one partition and changes them in one conditional commit. */
export class Partitions {
  readonly #turns = new Turns();

  constructor(
    readonly rows: Rows,
    private readonly observer: StoreObserver,
  ) {}

  /** Rows of a commit. */
  get mostRows(): number {
    return this.rows.records.limits.rows;
  }

  /**
   * Runs the work with a draft and commits it; repeats both after a conflict. Steps of this process on one partition are
   * serialized. `tries` counts from 0. Rejects with `PushStoreUnavailable` if the conflicts do not end.
   */
  step<Result>(partition: string, work: (draft: Draft, tries: number) => Promise<Result>): Promise<Result> {
    return this.#turns.run(partition, () => this.#repeated(partition, work));
  }

  async #repeated<Result>(
    partition: string,
    work: (draft: Draft, tries: number) => Promise<Result>,
  ): Promise<Result> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (tries > 0) {
        this.observer.repeated('transaction');
        await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries));
      }
      const draft = new Draft(this.rows, partition);
      const result = await work(draft, tries);
      if (!draft.isChanged || (await this.rows.commit(draft.commit()))) return result;
    }
    this.observer.givenUp('transaction');
    throw new PushStoreUnavailable(
      `other processes changed the same push records in each of ${MAX_TRIES} attempts; try again`,
    );
  }

  /** Deletes rows without conditions. Returns how many existed. */
  async deleteRows(partition: string, rows: readonly Row[]): Promise<number> {
    let deleted = 0;
    for (const some of chunks(rows, this.mostRows)) {
      deleted += await this.step(partition, async (draft, tries) => {
        const sorts = some.map(({ sort }) => sort);
        if (tries === 0) draft.see(some);
        const left = tries === 0 ? sorts : [...(await draft.read(sorts)).keys()];
        for (const sort of left) draft.delete(sort);
        return left.length;
      });
    }
    return deleted;
  }

  /**
   * Deletes rows that are still as they were read, as long as the guard is too. False: something changed meanwhile, and some
   * rows are left. Does not wait for other steps of the partition.
   */
  async deleteSeen(partition: string, rows: readonly Row[], guard: Row | null = null): Promise<boolean> {
    for (const some of chunks(rows, this.mostRows - 1)) {
      const draft = new Draft(this.rows, partition);
      draft.see(guard === null ? some : [...some, guard]);
      for (const { sort } of some) draft.delete(sort);
      if (!(await this.rows.commit(draft.commit()))) return false;
    }
    return true;
  }
}
