import { ServiceError, type FieldProblem } from '@carillon/errors';
import { invalidFields } from './fields.js';
import { checkValue, type Schema } from './schema.js';

export type QuerySchemas = Readonly<Record<string, Schema>>;

/**
 * Reads the query by its schemas. Arrays are separated by commas. A missing parameter takes the default of its schema.
 *
 * @throws ServiceError `invalid_input` that names every unknown, repeated or invalid parameter.
 */
export function readQuery(rawQuery: string, schemas: QuerySchemas): Record<string, unknown> {
  const problems: FieldProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, text] of parameters(rawQuery)) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (schema === undefined) problems.push({ path: name.slice(0, 64), message: 'is not a known parameter' });
    else if (Object.hasOwn(values, name)) problems.push({ path: name, message: 'is repeated' });
    else {
      values[name] = typed(schema, text);
      checkValue(schema, values[name], name, problems);
    }
  }
  if (problems.length > 0) throw invalidFields(problems);
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.default !== undefined) values[name] ??= schema.default;
  }
  return values;
}

function parameters(rawQuery: string): [string, string][] {
  if (rawQuery === '') return [];
  return rawQuery.split('&').map((pair) => {
    const at = pair.indexOf('=');
    const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
    return [decoded(name), decoded(value)];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ServiceError('invalid_input', { text: 'the query is not valid UTF-8' });
  }
}

/** A text that does not fit the type stays text, which the check refuses. */
function typed({ type, items }: Schema, value: string): unknown {
  if (type === 'integer') return /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  if (type === 'array') return value.split(',').map((item) => typed(items ?? {}, item));
  return value;
}
