import type { SqlAnswer, SqlSession, SqlTransaction } from './port.js';
import type { Session } from './session.js';

/** Runs `work` between the statements that open a transaction and its commit, or its rollback. */
export async function inTransaction<Result>(
  session: Session,
  opening: readonly string[],
  work: (session: SqlTransaction) => Promise<Result>,
): Promise<Result> {
  const opened = new OpenedSession(session, opening);
  try {
    const result = await work(opened);
    await opened.whenOpened;
    await (opened.committing ?? session.query('commit'));
    return result;
  } catch (thrown) {
    // After a commit there is no open transaction, whatever its outcome.
    if (opened.committing !== null) await opened.committing.catch(() => undefined);
    // One that cannot be rolled back ends with its connection.
    else await session.query('rollback').catch(() => session.abandon());
    // Later statements failed because of it.
    throw opened.failure ?? thrown;
  }
}

/** A session whose first statements go out behind those that open its transaction. */
class OpenedSession implements SqlTransaction {
  readonly whenOpened: Promise<unknown>;
  /** The commit that has left already; null: none has. */
  committing: Promise<unknown> | null = null;
  /** Why there is no transaction; null: there is one, or it is not known yet. */
  failure: Error | null = null;

  constructor(
    private readonly session: Session,
    opening: readonly string[],
  ) {
    this.whenOpened = Promise.all(opening.map((statement) => session.query(statement)));
    this.whenOpened.catch((thrown: Error) => {
      this.failure = thrown;
    });
  }

  /** Nothing more is done outside of a transaction that could not be opened. */
  async query(...asked: Parameters<SqlSession['query']>): Promise<SqlAnswer> {
    if (this.failure !== null) throw this.failure;
    return this.session.query(...asked);
  }

  last(): void {
    // In other dialects a commit keeps successful statements although others failed.
    if (!this.session.pipelines || this.committing !== null) return;
    this.committing = this.query('commit');
    this.committing.catch(() => undefined);
  }
}
