import { createHash } from 'node:crypto';
import type { Database } from '@carillon/database';
import { FOREVER_DAY, keepDay, slotOf } from '../model/calendar.js';
import type { Changes } from '../model/changes.js';
import { hashParts, type Spread } from './spread.js';

/** One part of a table that is split by time. */
interface Partition {
  readonly table: 'annotations' | 'records' | 'receipts' | 'presence_events';
  /** A day, or the number of an hour. */
  readonly of: string;
}

const partitionName = ({ table, of }: Partition): string => `${table}:${of}`;

/** Trimmed rows are deleted individually: their space is reclaimed before much of it accumulates. */
const REUSED =
  'autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1';

/** More than are ever in use at once; beyond, they are looked up again. */
const MAX_KNOWN = 4096;

/**
 * The parts of the tables that are split by time, which must be there before a row goes into them. There is no default
 * part: a row for a part that is missing would be refused.
 */
export class Partitions {
  readonly #known = new Set<string>();
  readonly #lockKey: string;

  constructor(
    private readonly database: Database,
    private readonly table: (name: string) => string,
    prefix: string,
    private readonly spread: Spread,
  ) {
    this.#lockKey = createHash('sha256').update(`partitions ${prefix}`).digest().readBigInt64BE(0).toString();
  }

  /** Returns the partitions that the changes need and this process has not seen yet. */
  missing(changes: Changes): readonly Partition[] {
    const needed = new Map<string, Partition>();
    const need = (partition: Partition) => needed.set(partitionName(partition), partition);
    for (const { keepUntilMs } of changes.records) need({ table: 'records', of: keepDay(keepUntilMs) });
    for (const { atMs } of changes.receipts) need({ table: 'receipts', of: String(slotOf(atMs)) });
    for (const { keepUntilMs } of changes.presenceEvents)
      need({ table: 'presence_events', of: keepDay(keepUntilMs) });
    for (const { keepUntilMs } of changes.messages?.annotations ?? [])
      need({ table: 'annotations', of: keepDay(keepUntilMs) });
    return [...needed].filter(([name]) => !this.#known.has(name)).map(([, partition]) => partition);
  }

  /** Makes those that this process has not seen yet. */
  async ensure(partitions: readonly Partition[]): Promise<void> {
    const missing = partitions.filter((partition) => !this.#known.has(partitionName(partition)));
    if (missing.length > 0) await this.make(missing);
  }

  /** Creates partitions in a transaction of its own under a lock, unless they exist. */
  async make(partitions: readonly Partition[]): Promise<void> {
    await this.database.transaction(async (session) => {
      await session.query('select pg_advisory_xact_lock($1)', [this.#lockKey]);
      for (const partition of partitions) {
        const name = this.table(this.#shortName(partition));
        const { rows } = await session.query('select to_regclass($1) is not null as there', [name]);
        if (rows[0]?.['there'] === true) continue;
        for (const statement of this.#statements(partition, name)) await session.query(statement);
      }
    });
    if (this.#known.size > MAX_KNOWN) this.#known.clear();
    for (const partition of partitions) this.#known.add(partitionName(partition));
  }

  /** After a part turned out to be gone. */
  forget(): void {
    this.#known.clear();
  }

  /** With the longest prefix still within the 63 bytes of a name. */
  #shortName({ table, of }: Partition): string {
    return `${table === 'presence_events' ? 'presence' : table}_${of.replaceAll('-', '')}`;
  }

  /** The partition is built separately and attached, so that the parent table remains readable and writable. */
  #statements(partition: Partition, name: string): string[] {
    const { table, of } = partition;
    const parts = table === 'records' ? (of === FOREVER_DAY ? this.spread.forever : this.spread.records) : 1;
    const leaf = table === 'receipts' ? '' : ` with (${REUSED})`;
    const [from, to] = table === 'receipts' ? [of, String(Number(of) + 1)] : [`'${of}'`, `'${dayAfter(of)}'`];
    return [
      `create table ${name} (like ${this.table(table)} including defaults including constraints)` +
        (parts > 1 ? ' partition by hash (stream_key)' : leaf),
      ...(parts > 1
        ? hashParts(name, (index) => this.table(`${this.#shortName(partition)}_${index}`), parts, leaf)
        : []),
      `alter table ${this.table(table)} attach partition ${name} for values from (${from}) to (${to})`,
    ];
  }
}

/** A range of dates ends before a day; nothing comes after the last one. */
function dayAfter(day: string): string {
  if (day === FOREVER_DAY) return '10000-01-01';
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}
