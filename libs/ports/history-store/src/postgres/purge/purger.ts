import { createHash } from 'node:crypto';
import type { Database } from '@carillon/database';
import { keepDay, slotOf } from '../../model/calendar.js';
import type { AppSurvey, PurgeRequest, PurgeStep } from '../../retention.js';
import type { Partitions } from '../partitions.js';
import { eraseForOperators, removeExpiredMessages } from './erased.js';
import { dropExpiredPart } from './expired-parts.js';
import type { PartDone, PurgeScope } from '../../sql/scope.js';
import { StreamRound } from '../../sql/stream-round.js';
import { POSTGRES_ROUND } from './streams.js';

const DAY_MS = 86_400_000;
const SLOT_MS = 3_600_000;
/** Parts are made for so many days and hours to come. */
const AHEAD = [0, 1, 2, 3] as const;

/** Removes what retention lets go of, in steps of one transaction each, under a lock that one process has at a time. */
export class PostgresPurger {
  readonly #lockKey: string;
  readonly #round = new StreamRound(POSTGRES_ROUND);

  constructor(
    private readonly database: Database,
    private readonly table: (name: string) => string,
    private readonly partitions: Partitions,
    /** Whether nothing else cleans the pages of the stream rows. */
    private readonly vacuums: boolean,
  ) {
    this.#lockKey = createHash('sha256')
      .update(`purge ${table('streams')}`)
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
    });
    if (done === 'elsewhere') {
      this.#round.reset();
      return null;
    }
    // A part that was just dropped may be one that this process made.
    if (done !== null && done.removed > 0) this.partitions.forget();
    if (done !== null) return { ...done, more: true };
    await this.#makeAhead(request);
    if (this.vacuums) await this.database.query(`vacuum ${this.table('streams')}`);
    return { evicted: [], removed: 0, more: false };
  }

  async #step(scope: PurgeScope): Promise<PartDone | null> {
    return (
      (await dropExpiredPart(scope)) ??
      (await eraseForOperators(scope)) ??
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
