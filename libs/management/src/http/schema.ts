import type { FieldProblem } from '@carillon/errors';

/** The part of JSON Schema that requests of this API are checked by; the OpenAPI document shows the same objects. */
export interface Schema {
  readonly type?: 'array' | 'boolean' | 'integer' | 'object' | 'string';
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  /** Anchored by its author. */
  readonly pattern?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** False refuses members that `properties` does not name. */
  readonly additionalProperties?: boolean;
}

/** An object of exactly these members. */
export const object = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema => ({ type: 'object', properties, required, additionalProperties: false });

export const text = (description: string, more: Schema = {}): Schema => ({
  type: 'string',
  description,
  ...more,
});

export const integer = (description: string, minimum: number, maximum: number): Schema => ({
  type: 'integer',
  description,
  minimum,
  maximum,
});

export const flag = (description: string): Schema => ({ type: 'boolean', description });

export const oneOf = (description: string, words: readonly string[]): Schema => ({
  type: 'string',
  description,
  enum: words,
});

/** Unix time in milliseconds. */
export const timeMs = (description: string): Schema => integer(description, 0, Number.MAX_SAFE_INTEGER);

/** Adds one problem for every member of `value` that its schema refuses. */
export function checkValue(schema: Schema, value: unknown, path: string, problems: FieldProblem[]): void {
  const message = mismatch(schema, value);
  if (message !== null) {
    problems.push({ path, message });
    return;
  }
  if (Array.isArray(value) && schema.items !== undefined) {
    for (const [index, item] of value.entries())
      checkValue(schema.items, item, `${path}[${index}]`, problems);
  }
  if (schema.type === 'object') checkMembers(schema, value as Record<string, unknown>, path, problems);
}

function checkMembers(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  path: string,
  problems: FieldProblem[],
): void {
  const { properties = {}, required = [] } = schema;
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  for (const name of required) {
    if (!Object.hasOwn(value, name)) problems.push({ path: at(name), message: 'is required' });
  }
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) checkValue(known, member, at(name), problems);
    else if (schema.additionalProperties === false)
      problems.push({ path: at(name), message: 'is not a known field' });
  }
}

const TYPES: Readonly<Record<NonNullable<Schema['type']>, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isSafeInteger(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  string: (value) => typeof value === 'string',
};

const ARTICLES: Readonly<Record<string, string>> = {
  array: 'an array',
  integer: 'an integer',
  object: 'an object',
};

/** Returns the reason why the value itself does not match; null when only its members remain to be checked. */
function mismatch(schema: Schema, value: unknown): string | null {
  const { type } = schema;
  if (type !== undefined && !TYPES[type](value)) return `must be ${ARTICLES[type] ?? `a ${type}`}`;
  if (schema.enum !== undefined && !schema.enum.includes(value))
    return `must be one of ${schema.enum.join(', ')}`;
  if (typeof value === 'number') return outOfRange(schema, value);
  if (typeof value === 'string') return badText(schema, value);
  const { maxItems } = schema;
  if (Array.isArray(value) && maxItems !== undefined && value.length > maxItems)
    return `must have at most ${maxItems} items`;
  return null;
}

function outOfRange({ minimum, maximum }: Schema, value: number): string | null {
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  return null;
}

function badText({ minLength, maxLength, pattern }: Schema, value: string): string | null {
  if (minLength !== undefined && value.length < minLength)
    return minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`;
  if (maxLength !== undefined && value.length > maxLength) return `must have at most ${maxLength} characters`;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return `must match ${pattern}`;
  return value.isWellFormed() ? null : 'must be valid Unicode';
}
