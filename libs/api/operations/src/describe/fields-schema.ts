import type { Field } from './field.js';
import type { JsonSchema } from './json-schema.js';

/** Schema of an object with these fields: optional ones may be null (absent), and unknown members are allowed. */
export function fieldsSchema(
  fields: Readonly<Record<string, Field<unknown>>>,
  required: readonly Field<unknown>[] = [],
): JsonSchema {
  const properties = Object.values(fields).map((field): [string, JsonSchema] => [
    field.name,
    required.includes(field) ? field.schema : orNull(field.schema),
  ]);
  const names = required.map(({ name }) => name);
  return {
    type: 'object',
    ...(names.length === 0 ? {} : { required: names }),
    properties: Object.fromEntries(properties),
  };
}

const orNull = (schema: JsonSchema): JsonSchema =>
  schema['type'] === undefined ? schema : { ...schema, type: [schema['type'], 'null'] };
