import { createHash } from 'node:crypto';
import type { Database } from '@carillon/database';
import { keepDay, slotOf } from '../../model/calendar.js';
import type { AppSurvey, PurgeRequest, PurgeStep } from '../../retention.js';
import type { Partitions } from '../partitions.js';
import { eraseForOperators, removeExpiredMessages } from './erased.js';
import { dropExpiredPart } from './expired-parts.js';
import { closeOver } from '../../sql/over-streams.js';
import type { PartDone, PurgeScope } from '../../sql/scope.js';
import { StreamRound } from '../../sql/stream-round.js';
import { POSTGRES_ROUND } from './streams.js';

const DAY_MS = 86_400_000;
const SLOT_MS = 3_600_000;
/** Days and hours for which partitions are created ahead. */
const AHEAD = [0, 1, 2, 3] as const;

/** Fewer rows are left to the next whole purge. */
const WORTH_VACUUMING = 500;

/** Sets up the transaction of a purge step: a bitmap scan gathers all matching rows where a step reads the first ones. */
export const PURGING = 'set local enable_bitmapscan = off';

/** Removes expired rows in steps of one transaction each, under a lock held by one process. */
export class PostgresPurger {
  readonly #lockKey: string;
  readonly #round = new StreamRound(POSTGRES_ROUND);
  readonly #trims = new StreamRound(POSTGRES_ROUND, true);
  /** Rows that were trimmed since their space was made free. */
  #trimmed = 0;

  constructor(
    private readonly database: Database,
    private readonly table: (name: string) => string,
    prefix: string,
    private readonly partitions: Partitions,
    /** Whether nothing else cleans the pages of the stream rows. */
    private readonly vacuums: boolean,
  ) {
    // The same wherever the tables are.
    this.#lockKey = createHash('sha256')
      .update(`purge "${prefix}_streams"`)
      .digest()
      .readBigInt64BE(0)
      .toString();
  }

  get survey(): readonly AppSurvey[] {
    return this.#round.survey;
  }

  async purge(request: PurgeRequest): Promise<PurgeStep | null> {
    const done = await this.database.transaction(async (session) => {
      const { rows } = await session.query('select pg_try_advisory_xact_lock($1) as taken', [this.#lockKey]);
      if (rows[0]?.['taken'] !== true) return 'elsewhere';
      return this.#step({ session, table: this.table, request });
    }, PURGING);
    if (done === 'elsewhere') {
      this.#roundOf(request).reset();
      return null;
    }
    // A part that was just dropped may be one that this process made.
    if (done !== null && done.removed > 0) this.partitions.forget();
    if (done !== null) {
      this.#trimmed += done.evicted.reduce((sum, { records }) => sum + records, 0);
      return { ...done, more: true };
    }
    if (request.onlyCapped !== true) await this.#makeAhead(request);
    if (this.vacuums) await this.#vacuum(request);
    return { evicted: [], removed: 0, more: false };
  }

  /** Reclaims the space of removed rows. */
  async #vacuum({ onlyCapped }: PurgeRequest): Promise<void> {
    if (onlyCapped === true && this.#trimmed < WORTH_VACUUMING) return;
    const trimmed = this.#trimmed > 0 ? [this.table('records'), this.table('presence_events')] : [];
    for (const name of [this.table('streams'), ...trimmed]) await this.database.query(`vacuum ${name}`);
    this.#trimmed = 0;
  }

  #roundOf({ onlyCapped }: PurgeRequest): StreamRound {
    return onlyCapped === true ? this.#trims : this.#round;
  }

  async #step(scope: PurgeScope): Promise<PartDone | null> {
    if (scope.request.onlyCapped === true) return this.#trims.step(scope);
    return (
      (await dropExpiredPart(scope)) ??
      (await eraseForOperators(scope)) ??
      (await closeOver(scope)) ??
      (await removeExpiredMessages(scope)) ??
      this.#round.step(scope)
    );
  }

  async #makeAhead({ nowMs, windowMs }: PurgeRequest): Promise<void> {
    const days = [...AHEAD.map((days) => days * DAY_MS), windowMs].map((ms) => keepDay(nowMs + ms));
    const hours = AHEAD.map((hours) => slotOf(nowMs + hours * SLOT_MS));
    await this.partitions.ensure([
      ...[...new Set(days)].map((of) => ({ table: 'records', of }) as const),
      ...hours.map((of) => ({ table: 'receipts', of: String(of) }) as const),
    ]);
  }
}
