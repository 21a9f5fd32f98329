import type { Row } from '@carillon/records';
import type { Rows } from './rows.js';

/** An entry of an index by name: of a client, of a channel. It points to a row of another partition. */
export interface Pointer {
  readonly partition: string;
  readonly sort: string;
  readonly note?: string;
}

/** An entry without its row may belong to a commit that is under way; older than this, it does not. */
const UNDER_WAY_MS = 600_000;

/**
 * Index entries by name. A writer puts the entry before it commits the row and confirms it afterwards; a remover
 * reads the row again and restores the entry if the row exists. So an existing row has its entry, in either order.
 */
export class Pointers {
  constructor(
    private readonly rows: Rows,
    private readonly clock: () => number = Date.now,
  ) {}

  async put(pointers: readonly Pointer[]): Promise<void> {
    const nowMs = this.clock();
    await this.rows.put(
      pointers.map(({ partition, sort, note = '' }) => ({
        partition,
        sort,
        version: 1,
        value: `${nowMs} ${note}`,
        expiresAtMs: null,
      })),
    );
  }

  /** Restores entries that were removed since they were put. */
  async confirm(pointers: readonly Pointer[]): Promise<void> {
    if (pointers.length === 0) return;
    const found = await this.rows.all(pointers);
    await this.put(pointers.filter((_, index) => found[index] === null));
  }

  /** Removes entries; `areAlive` returns those that have a row after all. */
  async remove(
    pointers: readonly Pointer[],
    areAlive: (pointers: readonly Pointer[]) => Promise<readonly boolean[]>,
  ): Promise<void> {
    if (pointers.length === 0) return;
    await this.rows.remove(pointers);
    const alive = await areAlive(pointers);
    await this.put(pointers.filter((_, index) => alive[index] === true));
  }

  /** Whether no commit that follows the entry can still be under way. */
  isSettled({ value }: Row): boolean {
    return this.clock() - Number(value.slice(0, value.indexOf(' '))) > UNDER_WAY_MS;
  }
}

/** Value that the writer stored with the entry. */
export const noteOf = ({ value }: Row): string => value.slice(value.indexOf(' ') + 1);
