import type { Findings, TableNode } from './node.js';
import { unknownKey } from './nearest.js';
import { isTable, typeOf } from './read.js';

/** The tree with every default; derived settings are still null. */
function defaultsOf(node: TableNode): Record<string, unknown> {
  const entries = Object.entries(node.fields).map(([key, field]) => [
    key,
    field.kind === 'table' ? defaultsOf(field) : field.default,
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

export const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/**
 * Reads a raw table over the defaults, field by field at every depth. A wrong value is reported and the default
 * of that one field stays.
 */
export function decodeTable(
  node: TableNode,
  raw: unknown,
  path: string,
  findings: Findings,
): Record<string, unknown> {
  const values = defaultsOf(node);
  if (!isTable(raw)) {
    findings.problems.push({ path, message: `expected table, got ${typeOf(raw)}` });
    return values;
  }
  for (const [key, entry] of Object.entries(raw)) {
    const field = Object.hasOwn(node.fields, key) ? node.fields[key] : undefined;
    const at = join(path, key);
    if (field === undefined) {
      findings.unknownKeys.push(unknownKey(at, Object.keys(node.fields)));
    } else if (field.kind === 'table') {
      values[key] = decodeTable(field, entry, at, findings);
    } else {
      const decoded = field.type.decode(entry, at, findings);
      if (decoded === null) continue;
      values[key] = decoded.value;
      if (decoded.value !== null) findings.configured.add(at);
    }
  }
  return values;
}
