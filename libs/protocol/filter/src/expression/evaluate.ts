import { callFunction, type Tools } from './functions.js';
import type { ComparatorName, Node } from './node.js';
import { Budget, isEqual, isObjectValue, isTruthy, Reference, type Value } from './values.js';

/** Steps of one evaluation: a walk over a document of the largest size several times. About a millisecond. */
const MAX_STEPS = 50_000;

/** Evaluates an expression on a document. Throws on an error, or beyond the step limit. */
export function evaluate(node: Node, document: Value): Value {
  return new Evaluation(new Budget(MAX_STEPS)).visit(node, document);
}

class Evaluation implements Tools {
  constructor(readonly budget: Budget) {}

  readonly apply = (reference: Reference, value: Value): Value => this.visit(reference.node, value);

  // oxlint-disable-next-line typescript/consistent-return -- every node type returns; the compiler checks it
  visit(node: Node, value: Value): Value {
    this.budget.take(1);
    switch (node.type) {
      case 'current':
        return value;
      case 'literal':
        return node.value;
      case 'field':
        return isObjectValue(value) && Object.hasOwn(value, node.name) ? (value[node.name] ?? null) : null;
      case 'index':
        return Array.isArray(value) ? ((value as Value[]).at(node.index) ?? null) : null;
      case 'slice':
        return Array.isArray(value) ? this.#slice(node, value) : null;
      case 'chain':
        return this.visit(node.right, this.visit(node.left, value));
      case 'not':
        return !isTruthy(this.visit(node.child, value));
      case 'or': {
        const left = this.visit(node.left, value);
        return isTruthy(left) ? left : this.visit(node.right, value);
      }
      case 'and': {
        const left = this.visit(node.left, value);
        return isTruthy(left) ? this.visit(node.right, value) : left;
      }
      case 'comparison':
        return this.#compare(node.comparator, this.visit(node.left, value), this.visit(node.right, value));
      case 'flatten':
        return this.#flatten(this.visit(node.child, value));
      case 'list-projection':
        return this.#project(this.visit(node.left, value), node.right);
      case 'value-projection': {
        const left = this.visit(node.left, value);
        return isObjectValue(left) ? this.#project(Object.values(left), node.right) : null;
      }
      case 'filter-projection':
        return this.#filter(this.visit(node.left, value), node.condition, node.right);
      case 'list':
        return value === null ? null : node.items.map((item) => this.visit(item, value));
      case 'hash':
        return value === null ? null : this.#hash(node.pairs, value);
      case 'function':
        return callFunction(
          node.name,
          node.args.map((one) => this.visit(one, value)),
          this,
        );
      case 'reference':
        return new Reference(node.child);
    }
  }

  #compare(comparator: ComparatorName, left: Value, right: Value): Value {
    if (comparator === '==') return isEqual(left, right, this.budget);
    if (comparator === '!=') return !isEqual(left, right, this.budget);
    if (typeof left !== 'number' || typeof right !== 'number') return null;
    if (comparator === '<') return left < right;
    if (comparator === '<=') return left <= right;
    return comparator === '>' ? left > right : left >= right;
  }

  #project(list: Value, right: Node): Value {
    if (!Array.isArray(list)) return null;
    this.budget.take(list.length);
    const results: Value[] = [];
    for (const one of list as readonly Value[]) {
      const result = this.visit(right, one);
      if (result !== null) results.push(result);
    }
    return results;
  }

  #filter(list: Value, condition: Node, right: Node): Value {
    if (!Array.isArray(list)) return null;
    this.budget.take(list.length);
    return this.#project(
      (list as readonly Value[]).filter((one) => isTruthy(this.visit(condition, one))),
      right,
    );
  }

  #flatten(list: Value): Value {
    if (!Array.isArray(list)) return null;
    const results: Value[] = [];
    for (const one of list as readonly Value[]) {
      const pieces: readonly Value[] = Array.isArray(one) ? one : [one];
      this.budget.take(1 + pieces.length);
      for (const piece of pieces) results.push(piece);
    }
    return results;
  }

  #hash(pairs: readonly (readonly [string, Node])[], value: Value): Value {
    // Without a prototype any name is a name, `__proto__` too.
    const result = Object.create(null) as Record<string, Value>;
    for (const [name, node] of pairs) result[name] = this.visit(node, value);
    return result;
  }

  #slice(slice: Node & { type: 'slice' }, list: readonly Value[]): Value {
    const step = slice.step ?? 1;
    const start = bounded(slice.start ?? (step > 0 ? 0 : list.length - 1), list.length, step);
    const stop = slice.stop === null ? (step > 0 ? list.length : -1) : bounded(slice.stop, list.length, step);
    const results: Value[] = [];
    for (let at = start; step > 0 ? at < stop : at > stop; at += step) {
      this.budget.take(1);
      results.push(list[at]);
    }
    return results;
  }
}

/** A position of a slice, counted from the end where negative, kept inside the list or just beside it. */
function bounded(position: number, length: number, step: number): number {
  const at = position < 0 ? position + length : position;
  if (at < 0) return step < 0 ? -1 : 0;
  return at >= length ? (step < 0 ? length - 1 : length) : at;
}
