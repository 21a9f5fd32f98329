import type { SqlAnswer, SqlSession, SqlValue } from '@carillon/database';

/**
 * Runs statements that are written for PostgreSQL and mean the same in MySQL but for their placeholders and casts: so
 * reads are written once. Their texts hold no `$` or `::` otherwise.
 */
export class NumberedSession implements SqlSession {
  constructor(private readonly session: SqlSession) {}

  query(sql: string, values: readonly SqlValue[] = []): Promise<SqlAnswer> {
    const used: SqlValue[] = [];
    const statement = sql
      .replaceAll(/([\w.]+)::text/g, 'cast($1 as char)')
      .replaceAll(/::\w+/g, '')
      .replaceAll(/\$(\d+)/g, (_placeholder, number: string) => {
        used.push(values[Number(number) - 1] ?? null);
        return '?';
      });
    return this.session.query(statement, used);
  }
}
