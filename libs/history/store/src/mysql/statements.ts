import type { SqlScalar, SqlSession } from '@carillon/database';

/** Returns the qualified name of a table of the store. */
export type Names = (name: string) => string;

/** Returns placeholders of `count` tuples, as in `(?, ?), (?, ?)`. */
export const tuples = (count: number, width: number): string =>
  Array.from({ length: count }, () => `(${Array.from({ length: width }, () => '?').join(', ')})`).join(', ');

/** A column by name with where its values come from. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => SqlScalar>>;

/**
 * Inserts or overwrites rows in one statement, by columns or custom assignments; returns the affected rows, in which
 * an overwritten row counts twice.
 */
export async function insertRows<Row>(
  session: SqlSession,
  into: string,
  columns: Columns<Row>,
  rows: readonly Row[],
  overwritten: readonly string[] = [],
): Promise<number> {
  if (rows.length === 0) return 0;
  const again = overwritten
    .map((name) => (name.includes('=') ? name : `${name} = values(${name})`))
    .join(', ');
  const from = Object.values(columns);
  const { changed } = await session.query(
    `insert into ${into} (${Object.keys(columns).join(', ')}) values ${tuples(rows.length, from.length)}` +
      (again === '' ? '' : ` on duplicate key update ${again}`),
    rows.flatMap((row) => from.map((value) => value(row))),
  );
  return changed;
}
