import { join } from '../kernel/decode-table.js';
import { leavesOf, type PlacedLeaf } from '../kernel/walk.js';
import type { LeafNode, TableNode } from '../kernel/node.js';
import { schema } from '../schema/index.js';
import { Secret } from '../secret.js';

/** A group of settings as the pages show it: the table at `path` with its own settings. */
export interface Section {
  /** Empty: the settings at the top of the tree. */
  readonly path: string;
  readonly leaves: readonly PlacedLeaf[];
}

/** Every table that has settings of its own, in the order of the schema. */
export function sections(node: TableNode = schema, path = ''): readonly Section[] {
  const leaves = Object.entries(node.fields).flatMap(([key, field]) =>
    field.kind === 'leaf' ? [{ path: join(path, key), node: field }] : [],
  );
  const inner = Object.entries(node.fields).flatMap(([key, field]) =>
    field.kind === 'table' ? sections(field, join(path, key)) : [],
  );
  return leaves.length > 0 ? [{ path, leaves }, ...inner] : inner;
}

export const lastKey = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** The fixed default as plain data; null when it is unset or derived. */
export function plainDefault({ default: value }: LeafNode<unknown>): unknown {
  return value instanceof Secret ? value.reveal() : value;
}

/** Every bound in words. */
export const boundsText = (node: LeafNode<unknown>): string =>
  node.bounds
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('; ');

export const envNames = (node: LeafNode<unknown>): readonly string[] => [
  ...node.env.map(({ name }) => name),
  ...node.specialEnv,
];

/** The settings each variable reaches, in the order of the schema. */
export function settingsByVariable(): ReadonlyMap<string, readonly PlacedLeaf[]> {
  const found = new Map<string, PlacedLeaf[]>();
  for (const leaf of leavesOf(schema)) {
    for (const name of envNames(leaf.node)) found.set(name, [...(found.get(name) ?? []), leaf]);
  }
  return found;
}
