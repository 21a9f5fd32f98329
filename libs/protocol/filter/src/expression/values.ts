import type { Node } from './node.js';

/** Value of an expression: JSON, or an expression reference for functions. */
export type Value = unknown;

/** A `&` expression, which only functions take. */
export class Reference {
  constructor(readonly node: Node) {}
}

/** Why an evaluation ends without an answer: a type that does not fit, or more work than allowed. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** An object of JSON. */
export type ObjectValue = Readonly<Record<string, Value>>;

export function isObjectValue(value: Value): value is ObjectValue {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Reference)
  );
}

/** null, false, the empty text, list and object; numbers are truthy, zero too. */
export function isTruthy(value: Value): boolean {
  if (value === null || value === undefined || value === false || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isObjectValue(value) || Object.keys(value).length > 0;
}

/** The type of a value as functions name it. */
export function typeOf(value: Value): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Reference) return 'expref';
  return typeof value;
}

/** Code units of a text that a step reads. */
export const TEXT_STEP = 16;

/** The work an evaluation may still do. Everything that grows with values takes from it. */
export class Budget {
  constructor(private steps: number) {}

  /** Throws where nothing is left. */
  take(steps: number): void {
    this.steps -= steps;
    if (this.steps < 0) throw new NoAnswer('too much work');
  }

  /** Takes as much as a value has pieces, counted as a tree: parts that are shared count as often as they occur. */
  takeAll(value: Value): void {
    this.take(1 + (typeof value === 'string' ? value.length / TEXT_STEP : 0));
    if (Array.isArray(value)) for (const one of value) this.takeAll(one);
    else if (isObjectValue(value)) for (const one of Object.values(value)) this.takeAll(one);
  }
}

/** Whether two values are the same JSON. */
export function isEqual(left: Value, right: Value, budget: Budget): boolean {
  const isText = typeof left === 'string' && typeof right === 'string' && left.length === right.length;
  budget.take(1 + (isText ? left.length / TEXT_STEP : 0));
  if (left === right) return !(left instanceof Reference);
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((one, at) => isEqual(one, right[at], budget));
  }
  if (!isObjectValue(left) || !isObjectValue(right)) return false;
  const names = Object.keys(left);
  budget.take(names.length);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name], budget))
  );
}
