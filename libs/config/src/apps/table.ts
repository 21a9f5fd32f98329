import type { Field } from './field.js';
import { NO_EXTRA, type Extra, type Table } from './extra.js';
import { type Report, typeName } from './report.js';

/** One field for every member of `T`, but `extra`. */
export type Fields<T> = { readonly [Name in Exclude<keyof T, 'extra'>]-?: Field<T[Name]> };

export const isTable = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/** Returns the path of a member: `a.b`, or `b` if the table has no path of its own. */
export const at = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** A table with known members. Unknown ones are reported as such and kept in `extra`. */
export function table<T extends Table>(fields: Fields<T>): Field<T> {
  const known = Object.entries<Field<unknown>>(fields);
  const names = known.map(([name]) => name);
  return {
    read(raw, path, report) {
      if (!isTable(raw)) return report.problem(path, `expected table, got ${typeName(raw)}`);
      const members = known.map(([name, field]) => [name, field.read(raw[name], at(path, name), report)]);
      const extra = readExtra(raw, names, path, report);
      if (members.some(([, value]) => value === undefined)) return undefined;
      return Object.freeze({ ...Object.fromEntries(members), extra }) as T;
    },
    write(value) {
      const written = known.map(([name, field]) => [name, field.write(value[name as keyof T])]);
      return { ...value.extra, ...Object.fromEntries(written.filter(([, member]) => member !== undefined)) };
    },
  };
}

function readExtra(
  raw: Readonly<Record<string, unknown>>,
  names: readonly string[],
  path: string,
  report: Report,
): Extra {
  const unknown = Object.entries(raw).filter(([name]) => !names.includes(name));
  for (const [name] of unknown) report.unknownKeys.push({ path: at(path, name), knownKeys: names });
  return unknown.length === 0 ? NO_EXTRA : Object.freeze(Object.fromEntries(unknown));
}

/** A list of values of one kind; problems name the place by its number. */
export function list<T>(item: Field<T>): Field<readonly T[]> {
  return {
    read(raw, path, report) {
      if (!Array.isArray(raw)) return report.problem(path, `expected list, got ${typeName(raw)}`);
      const items = raw.map((one, place) => item.read(one, `${path}[${place}]`, report));
      return items.includes(undefined) ? undefined : Object.freeze(items as T[]);
    },
    write: (value) => value.map((one) => item.write(one)),
  };
}

/** A table whose member names are free, as a map. */
export function mapOf<T>(item: Field<T>): Field<ReadonlyMap<string, T>> {
  return {
    read(raw, path, report) {
      if (!isTable(raw)) return report.problem(path, `expected table, got ${typeName(raw)}`);
      const entries = Object.entries(raw).map(
        ([name, one]) => [name, item.read(one, at(path, name), report)] as const,
      );
      if (entries.some(([, value]) => value === undefined)) return undefined;
      return new Map(entries as [string, T][]);
    },
    write: (value) => Object.fromEntries([...value].map(([name, one]) => [name, item.write(one)])),
  };
}
