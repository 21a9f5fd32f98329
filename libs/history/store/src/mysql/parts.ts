import type { Database } from '@carillon/database';
import { keepDay, slotOf } from '../model/calendar.js';
import { mysqlNames } from './tables.js';

const DAY_MS = 86_400_000;
const SLOT_MS = 3_600_000;
/** Partitions are created this far ahead, and for the longest configured retention. */
const DAYS_AHEAD = 3;
const HOURS_AHEAD = 3;
/** Rows with longer retention stay in the catch-all partition until their day is nearer. */
const MAX_DAYS = 400;

interface Part {
  readonly name: string;
  /** Upper bound as stored by the server: a number of days, or an hour. */
  readonly below: number;
}

/**
 * Time partitions of the tables. Every row has a partition: those beyond the last one go to the catch-all. Partitions
 * are created in time order by splitting the catch-all, and dropped when they are expired and empty.
 */
export class MysqlParts {
  readonly #table: (name: string) => string;

  constructor(
    private readonly database: Database,
    private readonly prefix: string,
  ) {
    this.#table = mysqlNames(prefix);
  }

  async maintain(nowMs: number, windowMs: number, firstSlot: number): Promise<void> {
    const days = Math.min(MAX_DAYS, Math.max(DAYS_AHEAD, Math.ceil(windowMs / DAY_MS) + 1));
    const dates = Array.from({ length: days + 1 }, (_, index) => nowMs + index * DAY_MS);
    for (const name of ['records', 'presence_events']) {
      const wanted = dates.map((atMs) => ({
        name: `d${keepDay(atMs).replaceAll('-', '')}`,
        below: toDays(atMs) + 1,
      }));
      await this.#split(name, wanted, `less than (to_days('9999-12-31'))`);
      await this.#dropBelow(name, toDays(nowMs));
    }
    const slots = Array.from({ length: HOURS_AHEAD + 1 }, (_, index) => slotOf(nowMs + index * SLOT_MS));
    const hours = slots.map((slot) => ({ name: `h${slot}`, below: slot + 1 }));
    await this.#split('receipts', hours, 'less than maxvalue');
    await this.#dropBelow('receipts', firstSlot);
  }

  /** Returns the existing partitions in order; `rest` and `forever` have no upper bound. */
  async #partsOf(table: string): Promise<readonly Part[]> {
    const { rows } = await this.database.query(
      `select partition_name as name, partition_description as below from information_schema.partitions
        where table_schema = database() and table_name = ? order by partition_ordinal_position`,
      [`${this.prefix}_${table}`],
    );
    return rows
      .map((row) => ({ name: String(row['name']), below: Number(row['below']) }))
      .filter(({ name }) => /^[dh]\d+$/.test(name));
  }

  async #split(table: string, wanted: readonly Part[], rest: string): Promise<void> {
    const newest = (await this.#partsOf(table)).at(-1)?.below ?? 0;
    const missing = wanted.filter(({ below }) => below > newest);
    if (missing.length === 0) return;
    const parts = missing.map(({ name, below }) => `partition ${name} values less than (${below})`);
    await this.database.query(
      `alter table ${this.#table(table)} reorganize partition rest into
        (${parts.join(', ')}, partition rest values ${rest})`,
    );
  }

  async #dropBelow(table: string, limit: number): Promise<void> {
    for (const { name, below } of await this.#partsOf(table)) {
      if (below > limit) return;
      const { rows } = await this.database.query(
        `select 1 from ${this.#table(table)} partition (${name}) limit 1`,
      );
      if (rows.length > 0) return;
      await this.database.query(`alter table ${this.#table(table)} drop partition ${name}`);
    }
  }
}

/** Days since the year 0, as the server counts them. */
const toDays = (ms: number): number => Math.floor(ms / DAY_MS) + 719_528;
