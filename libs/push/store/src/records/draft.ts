import type { Commit, Row } from '@carillon/records';
import { checkSort, type Rows } from './rows.js';

/** Versions come from this range at random, so that a deleted and recreated row never repeats one. */
const VERSIONS = 2 ** 48;

/**
 * Changes of one partition and the rows they rest on. Every row that was read through the draft, or was found missing, is a
 * condition of the commit.
 */
export class Draft {
  readonly #seen = new Map<string, number | null>();
  readonly #puts = new Map<string, Omit<Row, 'partition'>>();
  readonly #deletes = new Set<string>();

  constructor(
    private readonly rows: Rows,
    readonly partition: string,
  ) {}

  get isChanged(): boolean {
    return this.#puts.size > 0 || this.#deletes.size > 0;
  }

  /** Values of those that exist, by their sort keys. */
  async read(sorts: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const keys = sorts.map((sort) => ({ partition: this.partition, sort }));
    for (const sort of sorts) {
      checkSort(sort);
      this.#seen.set(sort, null);
    }
    const found = await this.rows.get(keys);
    this.see(found);
    return new Map(found.map(({ sort, value }) => [sort, value]));
  }

  async readOne(sort: string): Promise<string | null> {
    return (await this.read([sort])).get(sort) ?? null;
  }

  /** Makes rows that were read elsewhere conditions of the commit. */
  see(rows: readonly Row[]): void {
    for (const { sort, version } of rows) this.#seen.set(sort, version);
  }

  /** Makes the absence of a row a condition without reading it. */
  assumeAbsent(sort: string): void {
    this.#seen.set(sort, null);
  }

  /** Writes a row that was read, seen or assumed absent. */
  put(sort: string, value: string, expiresAtMs: number | null = null): void {
    const version = 1 + Math.floor(Math.random() * VERSIONS);
    this.#puts.set(sort, { sort, version, value, expiresAtMs });
    this.#deletes.delete(sort);
  }

  delete(sort: string): void {
    this.#puts.delete(sort);
    if (this.#seen.get(sort) !== null) this.#deletes.add(sort);
  }

  commit(): Commit {
    return {
      partition: this.partition,
      conditions: [...this.#seen].map(([sort, version]) => ({ sort, version })),
      puts: [...this.#puts.values()],
      deletes: [...this.#deletes],
    };
  }
}
