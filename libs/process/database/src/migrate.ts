import type { Migration, SqlSession } from './port.js';

/** Carries out what the migrations say is missing, in order; the caller holds the lock. */
export async function migrate(
  session: SqlSession,
  migrations: readonly Migration[],
  done: (name: string) => void,
): Promise<void> {
  for (const { name, missing } of migrations) {
    const statements = await missing(session);
    for (const statement of statements) await session.query(statement);
    if (statements.length > 0) done(name);
  }
}
