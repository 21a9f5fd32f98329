import { isObject, MalformedFilter } from '../malformed.js';
import { evaluate } from './evaluate.js';
import { childrenOf, type Node } from './node.js';
import { parseExpression } from './parser.js';
import { isTruthy } from './values.js';

const MAX_SOURCE_BYTES = 4096;
const MAX_NODES = 256;
const MAX_DEPTH = 32;

/** A compiled expression. */
export interface Expression {
  /** Whether it gives something truthy. An expression without an answer, or with too much work, does not. Never throws. */
  accepts(document: unknown): boolean;
}

/** Compiles the text of an expression, or an object that names its language. Throws where it is malformed. */
export function compileExpression(value: unknown): Expression {
  const source = sourceOf(value);
  if (Buffer.byteLength(source) > MAX_SOURCE_BYTES) {
    throw new MalformedFilter(`filter.expression is longer than ${MAX_SOURCE_BYTES} bytes`);
  }
  const node = parseExpression(source);
  const { nodes, depth } = sizeOf(node);
  if (nodes > MAX_NODES) throw new MalformedFilter(`filter.expression has more than ${MAX_NODES} nodes`);
  if (depth > MAX_DEPTH) throw new MalformedFilter(`filter.expression is deeper than ${MAX_DEPTH} nodes`);
  return { accepts: (document) => holds(node, document) };
}

function sourceOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) throw new MalformedFilter('filter.expression must be a text or an object');
  if (value['language'] !== 'jmespath')
    throw new MalformedFilter('filter.expression is in an unknown language');
  if (typeof value['source'] !== 'string')
    throw new MalformedFilter('filter.expression.source must be a text');
  return value['source'];
}

/** Without recursion: a long chain is as deep as it is long. */
function sizeOf(root: Node): { readonly nodes: number; readonly depth: number } {
  let nodes = 0;
  let depth = 0;
  let level: readonly Node[] = [root];
  while (level.length > 0) {
    nodes += level.length;
    depth += 1;
    level = level.flatMap(childrenOf);
  }
  return { nodes, depth };
}

/** Errors during the evaluation, including stack overflows, mean no match: the event is not delivered. */
function holds(node: Node, document: unknown): boolean {
  try {
    return isTruthy(evaluate(node, document));
  } catch {
    return false;
  }
}
