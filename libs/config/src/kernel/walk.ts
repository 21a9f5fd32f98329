import { join } from './decode-table.js';
import type { LeafNode, TableNode } from './node.js';

export interface PlacedLeaf {
  readonly path: string;
  readonly node: LeafNode<unknown>;
}

/** Every setting with its full path, in the order of the schema; rows count as one setting. */
export function leavesOf(node: TableNode, path = ''): readonly PlacedLeaf[] {
  return Object.entries(node.fields).flatMap(([key, field]) => {
    const at = join(path, key);
    return field.kind === 'table' ? leavesOf(field, at) : [{ path: at, node: field }];
  });
}

type Tree = Record<string, unknown>;

function parentOf(tree: Tree, path: string): readonly [Tree, string] {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  return [keys.reduce((at, key) => at[key] as Tree, tree), last];
}

/** The value at a path the schema has. */
export function valueAt(tree: unknown, path: string): unknown {
  const [parent, key] = parentOf(tree as Tree, path);
  return parent[key];
}

/** Replaces the value at a path the schema has. */
export function putAt(tree: Tree, path: string, value: unknown): void {
  const [parent, key] = parentOf(tree, path);
  parent[key] = value;
}
