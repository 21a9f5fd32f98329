import { isJsonObject, type JsonObject, type JsonSchema } from '@carillon/api-operations';

/** An invalid argument. */
export interface Finding {
  /** A JSON pointer. */
  readonly path: string;
  readonly message: string;
}

const MAX_FINDINGS = 50;

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

const isOfType = (value: unknown, type: string): boolean => {
  const actual = typeOf(value);
  return actual === type || (type === 'number' && actual === 'integer');
};

const pointer = (path: string, name: string | number): string =>
  `${path}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const schemaOf = (value: unknown): JsonSchema => (isJsonObject(value) ? value : {});

/**
 * Returns the arguments that their schema rejects. Supports the schema keywords used by operations; other keywords
 * are checked by the operation itself.
 */
export function findings(schema: JsonSchema, value: unknown): readonly Finding[] {
  const found: Finding[] = [];
  look(schema, value, '', found);
  return found.slice(0, MAX_FINDINGS);
}

function look(schema: JsonSchema, value: unknown, path: string, found: Finding[]): void {
  if (found.length >= MAX_FINDINGS) return;
  const wrong = wrongWith(schema, value);
  if (wrong !== null) found.push({ path, message: wrong });
  else if (isJsonObject(value)) lookIntoObject(schema, value, path, found);
  else if (Array.isArray(value)) lookIntoArray(schema, value, path, found);
}

/** Null: valid as far as visible without descending. */
function wrongWith(schema: JsonSchema, value: unknown): string | null {
  const { type, enum: words, pattern } = schema;
  const types = type === undefined ? [] : [type].flat().map(String);
  if (types.length > 0 && !types.some((one) => isOfType(value, one))) return `must be ${types.join(' or ')}`;
  if (Object.hasOwn(schema, 'const') && value !== schema['const'])
    return `must be ${JSON.stringify(schema['const'])}`;
  if (Array.isArray(words) && !words.includes(value)) return `must be one of ${words.map(String).join(', ')}`;
  if (typeof value === 'string') {
    if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) return `must match ${pattern}`;
    return outside(schema, 'Length', Buffer.byteLength(value), 'bytes');
  }
  if (typeof value === 'number') return outside(schema, 'imum', value, '');
  return Array.isArray(value) ? outside(schema, 'Items', value.length, 'items') : null;
}

function outside(schema: JsonSchema, what: string, size: number, unit: string): string | null {
  const [least, most] = [schema[`min${what}`], schema[`max${what}`]];
  const counted = unit === '' ? 'be' : 'have';
  const named = (bound: number): string => (unit === '' ? String(bound) : `${bound} ${unit}`);
  if (typeof least === 'number' && size < least) return `must ${counted} at least ${named(least)}`;
  if (typeof most === 'number' && size > most) return `must ${counted} at most ${named(most)}`;
  return null;
}

function lookIntoObject(schema: JsonSchema, value: JsonObject, path: string, found: Finding[]): void {
  const properties = schemaOf(schema['properties']);
  for (const name of listOf(schema['required']).map(String)) {
    if (!Object.hasOwn(value, name)) found.push({ path: pointer(path, name), message: 'required' });
  }
  const { additionalProperties: others } = schema;
  for (const [name, one] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) look(schemaOf(properties[name]), one, pointer(path, name), found);
    else if (others === false)
      found.push({ path: pointer(path, name), message: unknownArgument(path, properties) });
    else if (isJsonObject(others)) look(others, one, pointer(path, name), found);
  }
  lookForOneOf(schema, value, path, found);
}

/** Lists the arguments of the tool, or the members of the object, that exist instead. */
const unknownArgument = (path: string, properties: JsonSchema): string =>
  `unknown ${path === '' ? 'argument' : 'member'}; known are ${Object.keys(properties).join(', ') || 'none'}`;

/** `anyOf` with nothing but `required`: one of these has to be there. */
function lookForOneOf(schema: JsonSchema, value: JsonObject, path: string, found: Finding[]): void {
  const choices = listOf(schema['anyOf']).map((one) => listOf(schemaOf(one)['required']).map(String));
  if (choices.length === 0 || choices.some((names) => names.length === 0)) return;
  if (choices.some((names) => names.every((name) => Object.hasOwn(value, name)))) return;
  const [first = ''] = choices[0] ?? [];
  const names = choices.map((one) => one.join(' and ')).join(', ');
  found.push({ path: pointer(path, first), message: `one of ${names} is required` });
}

function lookIntoArray(schema: JsonSchema, value: readonly unknown[], path: string, found: Finding[]): void {
  const items = schemaOf(schema['items']);
  value.forEach((one, index) => look(items, one, pointer(path, index), found));
  if (schema['uniqueItems'] !== true) return;
  if (new Set(value.map((one) => JSON.stringify(one))).size < value.length)
    found.push({ path, message: 'must not repeat an item' });
}
