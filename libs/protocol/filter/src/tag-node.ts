import { type Literals, literalsOfAll, literalsOfAny, tagLiteral } from './literals.js';
import { isObject, MalformedFilter, type JsonObject } from './malformed.js';
import { comparisonNamed } from './tag-comparison.js';

const MAX_NODES = 128;
const MAX_DEPTH = 16;
const MAX_VALUES = 128;
const MAX_KEY_BYTES = 256;
const MAX_VALUE_BYTES = 1024;
const LEAF_MEMBERS = ['key', 'cmp', 'val', 'vals'] as const;

/** A condition on the tags of an event. */
export interface TagCondition {
  /** Costs one comparison per node. */
  readonly holds: (tags: ReadonlyMap<string, string>) => boolean;
  readonly literals: Literals;
  /** Whether it holds exactly for the tags that carry one of its literals. */
  readonly isLiteral: boolean;
}

/** Compiles a tag node. Throws where it is malformed. */
export function compileTagNode(value: unknown): TagCondition {
  let nodes = 0;
  const compile = (node: unknown, depth: number): TagCondition => {
    nodes += 1;
    if (nodes > MAX_NODES) throw new MalformedFilter(`a tag filter holds more than ${MAX_NODES} nodes`);
    if (depth > MAX_DEPTH) throw new MalformedFilter(`a tag filter is deeper than ${MAX_DEPTH} levels`);
    if (!isObject(node)) throw new MalformedFilter('a tag filter must be an object');
    return isPresent(node, 'op') ? branch(node, (child) => compile(child, depth + 1)) : leaf(node);
  };
  return compile(value, 1);
}

const isPresent = (node: JsonObject, member: string): boolean =>
  Object.hasOwn(node, member) && node[member] !== null;

function branch(node: JsonObject, compile: (child: unknown) => TagCondition): TagCondition {
  if (LEAF_MEMBERS.some((member) => isPresent(node, member))) {
    throw new MalformedFilter('a tag filter with op must not have key, cmp, val or vals');
  }
  const { op, nodes } = node;
  if (!Array.isArray(nodes) || nodes.length === 0)
    throw new MalformedFilter('a tag filter with op needs nodes');
  if (nodes.length > MAX_NODES) throw new MalformedFilter(`a tag filter holds more than ${MAX_NODES} nodes`);
  const children = nodes.map(compile);
  const literals = children.map((child) => child.literals);
  if (op === 'and')
    return {
      holds: (tags) => children.every((child) => child.holds(tags)),
      literals: literalsOfAll(literals),
      isLiteral: false,
    };
  if (op === 'or')
    return {
      holds: (tags) => children.some((child) => child.holds(tags)),
      literals: literalsOfAny(literals),
      isLiteral: false,
    };
  const [only] = children;
  if (op !== 'not') throw new MalformedFilter('op of a tag filter must be and, or, not');
  if (only === undefined || children.length !== 1) throw new MalformedFilter('not takes exactly one node');
  return { holds: (tags) => !only.holds(tags), literals: null, isLiteral: false };
}

function leaf(node: JsonObject): TagCondition {
  if (isPresent(node, 'nodes')) throw new MalformedFilter('a tag filter with nodes needs op');
  const key = isPresent(node, 'key') ? node['key'] : undefined;
  if (typeof key !== 'string' || key === '' || Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new MalformedFilter(`key of a tag filter must be a text of 1 to ${MAX_KEY_BYTES} bytes`);
  }
  const comparison = comparisonNamed(node['cmp']);
  if (comparison === undefined) throw new MalformedFilter('cmp of a tag filter is unknown');
  const values = comparison.needs === 'nothing' ? [] : valuesOf(node, comparison.needs);
  const { holds, isLiteral = false } = comparison;
  return {
    isLiteral,
    holds: (tags) => holds(tags.get(key), values),
    literals: isLiteral ? [...new Set(values)].map((value) => tagLiteral(key, value)) : null,
  };
}

function valuesOf(node: JsonObject, needs: 'value' | 'values'): readonly string[] {
  if (needs === 'value') return [valueOf(isPresent(node, 'val') ? node['val'] : undefined)];
  const values = isPresent(node, 'vals') ? node['vals'] : undefined;
  if (!Array.isArray(values) || values.length === 0 || values.length > MAX_VALUES) {
    throw new MalformedFilter(`vals of a tag filter must be a list of 1 to ${MAX_VALUES}`);
  }
  return values.map(valueOf);
}

function valueOf(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const text = isScalar ? String(value) : '';
  if (text === '' || Buffer.byteLength(text) > MAX_VALUE_BYTES) {
    throw new MalformedFilter(`a value of a tag filter must be a text of 1 to ${MAX_VALUE_BYTES} bytes`);
  }
  return text;
}
