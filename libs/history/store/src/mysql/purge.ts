import { createHash } from 'node:crypto';
import type { Database } from '@carillon/database';
import { slotOf } from '../model/calendar.js';
import type { AppSurvey, PurgeRequest, PurgeStep } from '../retention.js';
import type { PartDone, PurgeScope } from '../sql/scope.js';
import { closeOver } from '../sql/over-streams.js';
import { StreamRound } from '../sql/stream-round.js';
import { eraseForOperators } from './erased.js';
import { removeExpired, SLOT_MS } from './expired.js';
import { NumberedSession } from './numbered.js';
import { MysqlParts } from './parts.js';
import { MYSQL_ROUND } from './streams.js';
import { mysqlNames } from './tables.js';

/** Removes expired rows in steps of one transaction each, under a lock held by one process. */
export class MysqlPurger {
  readonly #table: (name: string) => string;
  readonly #lock: string;
  readonly #round = new StreamRound(MYSQL_ROUND);
  readonly #trims = new StreamRound(MYSQL_ROUND, true);
  readonly #parts: MysqlParts;

  constructor(
    private readonly database: Database,
    prefix: string,
  ) {
    this.#table = mysqlNames(prefix);
    this.#lock = createHash('sha256').update(`purge ${prefix}`).digest('hex').slice(0, 40);
    this.#parts = new MysqlParts(database, prefix);
  }

  get survey(): readonly AppSurvey[] {
    return this.#round.survey;
  }

  async purge(request: PurgeRequest): Promise<PurgeStep | null> {
    const done = await this.database.transaction(async (session) => {
      // Names of locks are the server's, not the database's. It ends with the connection, also when this process dies.
      const lock = `concat('carillon:', left(sha2(concat(database(), ?), 256), 40))`;
      const { rows } = await session.query(`select get_lock(${lock}, 0) as taken`, [this.#lock]);
      if (Number(rows[0]?.['taken']) !== 1) return 'elsewhere';
      try {
        return await this.#step({ session, table: this.#table, request });
      } finally {
        await session.query(`select release_lock(${lock})`, [this.#lock]);
      }
    });
    if (done === 'elsewhere') {
      (request.onlyCapped === true ? this.#trims : this.#round).reset();
      return null;
    }
    if (done !== null) return { ...done, more: true };
    if (request.onlyCapped === true) return { evicted: [], removed: 0, more: false };
    await this.#parts.maintain(
      request.nowMs,
      request.windowMs,
      slotOf(request.nowMs - request.receiptsKeptMs - SLOT_MS),
    );
    return { evicted: [], removed: 0, more: false };
  }

  async #step(scope: PurgeScope): Promise<PartDone | null> {
    if (scope.request.onlyCapped === true) return this.#trims.step(scope);
    const session = new NumberedSession(scope.session);
    return (
      (await closeOver({ ...scope, session })) ??
      (await removeExpired(scope)) ??
      (await eraseForOperators(scope)) ??
      this.#round.step(scope)
    );
  }
}
