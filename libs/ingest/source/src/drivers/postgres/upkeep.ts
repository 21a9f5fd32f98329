import type { PostgresSourceOptions } from './options.js';
import type { OwnedPartition } from './partition.js';
import type { Session } from './session.js';
import type { Statements } from './statements.js';

const UPKEEP_EVERY_MS = 60_000;
const LAG_EVERY_MS = 5000;

/** Truncation of consumed slots, retention and counts. Runs between fetches, so each step is one short query. */
export class Upkeep {
  /** Null: not counted yet. */
  deadLetters: number | null = null;
  lagRows = 0;
  #upkeepAtMs = performance.now();
  #lagAtMs = 0;

  constructor(
    private readonly session: Session,
    private readonly sql: Statements,
    private readonly key: number,
    private readonly options: PostgresSourceOptions,
  ) {}

  async run(nowMs: number, partitions: Iterable<OwnedPartition>): Promise<void> {
    await this.#countLag(nowMs, [...partitions]);
    if (nowMs - this.#upkeepAtMs < UPKEEP_EVERY_MS && this.deadLetters !== null) return;
    this.#upkeepAtMs = nowMs;
    const { session, sql, options } = this;
    const [counted] = await session.query(sql.deadLetters);
    this.deadLetters = Number(counted?.['dead'] ?? 0);
    const [held] = await session.query(sql.upkeep, [this.key]);
    if (held?.['mine'] !== true) return;
    await session.query(sql.rotate);
    if (options.deadLetterDays > 0) await session.query(sql.purgeDead, [options.deadLetterDays]);
    if (options.messageMapDays > 0) await session.query(sql.purgeMessages, [options.messageMapDays]);
  }

  /** Behind the cursors, fetched or not. Without events in flight there are none. */
  async #countLag(nowMs: number, partitions: readonly OwnedPartition[]): Promise<void> {
    const open = partitions.filter(({ ledger }) => ledger.length > 0);
    this.lagRows = Math.min(this.lagRows, 100_000);
    if (open.length === 0) {
      this.lagRows = 0;
      return;
    }
    if (nowMs - this.#lagAtMs < LAG_EVERY_MS) return;
    this.#lagAtMs = nowMs;
    const [counted] = await this.session.query(
      this.sql.lag,
      [
        open.map(({ number }) => number),
        open.map(({ fetched }) => fetched.seq),
        open.map(({ fetched }) => fetched.n),
      ],
      'lag',
    );
    const fetched = open.reduce((sum, { ledger }) => sum + ledger.open, 0);
    this.lagRows = Number(counted?.['rows'] ?? 0) + fetched;
  }
}
