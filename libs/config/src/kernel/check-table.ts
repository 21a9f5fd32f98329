import type { Problem } from '../problem.js';
import { join } from './decode-table.js';
import type { TableNode } from './node.js';

/** Every value that is outside its own bounds. */
export function checkTable(node: TableNode, value: unknown, path: string): readonly Problem[] {
  const values = value as Readonly<Record<string, unknown>>;
  return Object.entries(node.fields).flatMap(([key, field]) => {
    const at = join(path, key);
    const current = values[key];
    if (field.kind === 'table') return checkTable(field, current, at);
    return field.bounds.flatMap((bound) => bound.check(current, at));
  });
}
