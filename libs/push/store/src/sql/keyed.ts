import type { SqlScalar } from '@carillon/database';
import { places, ROWS_AT_ONCE, type Statements } from './session.js';
import { type Table, textOf } from './table.js';

/** Rows of a table by the last column of their primary key; the columns before it have the values `of`. */
export interface KeySet {
  readonly of: readonly SqlScalar[];
  readonly keys: readonly string[];
}

/** A condition on the columns of a row, which is named `kept`. */
export interface Condition {
  readonly text: string;
  readonly values: readonly SqlScalar[];
}

const ALWAYS: Condition = { text: 'true', values: [] };

/**
 * Reads the rows of a set of keys. The limit makes PostgreSQL look each key up in the primary key, whatever its
 * statistics: the planner may otherwise scan all rows with the same first columns.
 */
export async function rowsOfKeys<Row extends object>(
  one: Statements,
  table: Table<Row>,
  { of, keys }: KeySet,
  when: Condition = ALWAYS,
): Promise<Row[]> {
  const found: Row[] = [];
  for (const some of parts(keys)) {
    const { text, values } =
      one.dialect === 'mysql'
        ? listed(table, { of, keys: some }, when)
        : {
            text: `select found.* from ${lookedUp(table, when)}`,
            values: [some, ...of, ...when.values],
          };
    const { rows } = await one.run(text, values);
    found.push(...rows.map((row) => table.rowOf(row)));
  }
  return found;
}

/** A change of rows: assignments to columns, in which `kept` names the row before the change. */
export interface Change {
  readonly set: string;
  readonly values: readonly SqlScalar[];
  readonly when: Condition;
}

/**
 * Changes those rows of a set of keys that meet the condition; resolves with their keys. Rows are locked in the order of
 * their keys. One statement in PostgreSQL, whose rows are found by the primary key as in `rowsOfKeys`; has to run inside
 * a transaction in MySQL.
 */
export async function changeRowsOfKeys(
  one: Statements,
  table: Table<never>,
  { of, keys }: KeySet,
  change: Change,
): Promise<ReadonlySet<string>> {
  const key = table.shape.key.at(-1) ?? '';
  const changed = new Set<string>();
  for (const some of parts(keys.toSorted())) {
    const set = { of, keys: some };
    const rows =
      one.dialect === 'mysql'
        ? await lockAndUpdate(one, table, set, change)
        : await updateFound(one, table, set, change);
    for (const row of rows) changed.add(textOf(row[key]));
  }
  return changed;
}

/** Removes the rows of a set of keys. One that is changed at the same moment may stay. */
export async function removeRowsOfKeys(
  one: Statements,
  table: Table<never>,
  { of, keys }: KeySet,
): Promise<void> {
  const { name, shape } = table;
  const key = shape.key.at(-1) ?? '';
  for (const some of parts(keys)) {
    if (one.dialect === 'mysql') {
      const where = `where ${fixed(table)} and kept.${key} in (${places(some.length)})`;
      await one.run(`delete kept from ${name} kept ${where}`, [...of, ...some]);
    } else {
      const found = `select found.place from ${lookedUp(table, ALWAYS, '', 'ctid as place')}`;
      await one.run(`delete from ${name} where ctid = any(array(${found}))`, [some, ...of]);
    }
  }
}

/** An insert that always finds its row there is the one update whose plan is fixed: by the unique key. */
async function updateFound(one: Statements, table: Table<never>, { of, keys }: KeySet, change: Change) {
  const { shape, list, name } = table;
  const { set, values, when } = change;
  const text = `insert into ${name} as kept (${list}) select ${list} from ${lookedUp(table, when, ' for update')}
    on conflict (${shape.key.join(', ')}) do update set ${set} where ${when.text} returning kept.${shape.key.at(-1)}`;
  const given = [keys, ...of, ...when.values, ...values, ...when.values];
  return (await one.run(text, given)).rows;
}

async function lockAndUpdate(one: Statements, table: Table<never>, set: KeySet, change: Change) {
  const key = table.shape.key.at(-1) ?? '';
  const { text, values } = listed(table, set, change.when, ` order by kept.${key} for update`);
  const { rows } = await one.run(text, values);
  if (rows.length === 0) return rows;
  const found = rows.map((row) => textOf(row[key]));
  const where = `where ${fixed(table)} and kept.${key} in (${places(found.length)})`;
  await one.run(`update ${table.name} kept set ${change.set} ${where}`, [
    ...change.values,
    ...set.of,
    ...found,
  ]);
  return rows;
}

/** `kept.a = ? and kept.b = ?` for all columns of the key but the last. */
const fixed = ({ shape }: Pick<Table<never>, 'shape'>): string =>
  ['true', ...shape.key.slice(0, -1).map((column) => `kept.${column} = ?`)].join(' and ');

function lookedUp(
  table: Pick<Table<never>, 'shape' | 'list' | 'name'>,
  when: Condition,
  lock = '',
  columns = table.list,
): string {
  const key = table.shape.key.at(-1) ?? '';
  return `unnest(?::text[]) as wanted(given) cross join lateral (select ${columns} from ${table.name} kept
    where ${fixed(table)} and kept.${key} = wanted.given and ${when.text} limit 1${lock}) found`;
}

function listed(
  table: Pick<Table<never>, 'shape' | 'list' | 'name'>,
  { of, keys }: KeySet,
  when: Condition,
  rest = '',
): { readonly text: string; readonly values: readonly SqlScalar[] } {
  const key = table.shape.key.at(-1) ?? '';
  return {
    text: `select ${table.list} from ${table.name} kept
      where ${fixed(table)} and kept.${key} in (${places(keys.length)}) and ${when.text}${rest}`,
    values: [...of, ...keys, ...when.values],
  };
}

function parts<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / ROWS_AT_ONCE);
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * ROWS_AT_ONCE, (index + 1) * ROWS_AT_ONCE),
  );
}
