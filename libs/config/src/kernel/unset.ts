import type { LeafNode, LeafType } from './node.js';
import { given } from './read.js';

function orNull<T>(type: LeafType<T>): LeafType<T | null> {
  return {
    name: type.name,
    jsonSchema: type.jsonSchema,
    decode: (raw, path, findings) => (raw === null ? given(null) : type.decode(raw, path, findings)),
    parse: (text) => type.parse(text),
  };
}

/** A setting that may be unset, which is its default; null in a JSON file unsets it explicitly. */
export function optional<T>(node: LeafNode<T>): LeafNode<T | null> {
  return {
    ...node,
    type: orNull(node.type),
    optional: true,
    bounds: node.bounds.map(({ text, check }) => ({
      text,
      check: (value: T | null, path: string) => (value === null ? [] : check(value, path)),
    })),
  };
}

/** A setting whose default depends on others, as described by `from`. Resolved before the tree is read. */
export function derived<T>(node: LeafNode<T>, from: string): LeafNode<T> {
  const type = orNull(node.type) as LeafType<T>;
  const bounds = node.bounds.map(({ text, check }) => ({
    text,
    check: (value: T, path: string) => (value === null ? [] : check(value, path)),
  }));
  return { ...node, type, bounds, derived: from };
}
