import { isDeepStrictEqual } from 'node:util';
import { join } from '../kernel/decode-table.js';
import type { Findings, TableNode } from '../kernel/node.js';
import { isTable } from '../kernel/read.js';
import { schema } from '../schema/index.js';

type Raw = Record<string, unknown>;

const isRaw = (value: unknown): value is Raw => isTable(value);

interface Alias {
  readonly alias: string;
  readonly canonical: string;
}

function aliasesOf(node: TableNode, path: string): readonly Alias[] {
  return Object.entries(node.fields).flatMap(([key, field]) => {
    const canonical = join(path, key);
    const own = field.aliases.map((alias) => ({ alias, canonical }));
    return field.kind === 'table' ? [...own, ...aliasesOf(field, canonical)] : own;
  });
}

const ALIASES = aliasesOf(schema, '');

/** The table that holds the last key of a path, made where it is missing; null where something else is. */
function holder(raw: Raw, path: string, create: boolean): readonly [Raw, string] | null {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let at = raw;
  for (const key of keys) {
    if (create && !Object.hasOwn(at, key)) at[key] = {};
    const next = Object.hasOwn(at, key) ? at[key] : undefined;
    if (!isRaw(next)) return null;
    at = next;
  }
  return [at, last];
}

function merge(
  target: Raw,
  key: string,
  value: unknown,
  { alias, canonical }: Alias,
  findings: Findings,
): void {
  const present = Object.hasOwn(target, key) ? target[key] : undefined;
  if (present === undefined) {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else if (isRaw(present) && isRaw(value)) {
    for (const [inner, innerValue] of Object.entries(value)) {
      const names = { alias: join(alias, inner), canonical: join(canonical, inner) };
      merge(present, inner, innerValue, names, findings);
    }
  } else if (!isDeepStrictEqual(present, value)) {
    findings.problems.push({ path: canonical, message: `conflicts with alias ${alias}` });
  }
}

/** Returns a copy of the file's tables with every setting under its canonical key. */
export function canonicalKeys(raw: Readonly<Raw>, findings: Findings): Readonly<Raw> {
  const copy: Raw = structuredClone(raw);
  for (const names of ALIASES) {
    const from = holder(copy, names.alias, false);
    if (from === null || !Object.hasOwn(...from)) continue;
    const to = holder(copy, names.canonical, true);
    if (to === null) continue;
    const [source, key] = from;
    const value = source[key];
    delete source[key];
    merge(...to, value, names, findings);
  }
  return copy;
}
