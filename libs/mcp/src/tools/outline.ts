import { isJsonObject, type JsonSchema } from '@carillon/api-operations';
import { ARGUMENT_TEXTS, HIDDEN_ARGUMENTS } from './argument-texts.js';

const schemaOf = (value: unknown): JsonSchema => (isJsonObject(value) ? value : {});
const namesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/**
 * The input schema of a tool as `tools/list` shows it: one level deep, one type per argument, every argument described.
 * A nested object is described in the text of its argument. Calls are checked against the complete schema, which also
 * has the bounds: a violated one is reported by the call.
 */
export function inputOutline(tool: string, schema: JsonSchema): JsonSchema {
  const shown = Object.entries(schemaOf(schema['properties'])).filter(
    ([name]) => !HIDDEN_ARGUMENTS.includes(`${tool}.${name}`),
  );
  const properties = shown.map(([name, one]): [string, JsonSchema] => [
    name,
    argumentOutline(`${tool}.${name}`, name, schemaOf(one)),
  ]);
  const required = namesIn(schema['required']);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function argumentOutline(path: string, name: string, schema: JsonSchema): JsonSchema {
  return {
    ...valueOutline(schema),
    ...(schema['writeOnly'] === true ? { writeOnly: true } : {}),
    description: ARGUMENT_TEXTS[path] ?? ARGUMENT_TEXTS[name] ?? schema['description'],
  };
}

/** Type and words of a value; arrays with those of their items. Several types besides null are shown as any type. */
function valueOutline(schema: JsonSchema): JsonSchema {
  const words = Object.hasOwn(schema, 'const') ? [schema['const']] : schema['enum'];
  const type = typeOf(schema, words);
  return {
    ...(type === null ? {} : { type }),
    ...(Array.isArray(words) ? { enum: words } : {}),
    ...(type === 'array' ? { items: itemsOutline(schemaOf(schema['items'])) } : {}),
  };
}

/** Items that are one of several objects are objects. */
function itemsOutline(items: JsonSchema): JsonSchema {
  const outline = valueOutline(items);
  return Array.isArray(items['oneOf']) ? { type: 'object' } : outline;
}

/** Null: more than one type, or any. */
function typeOf({ type }: JsonSchema, words: unknown): string | null {
  const types = [type].flat().filter((one) => typeof one === 'string' && one !== 'null');
  const [only] = types;
  if (types.length === 1 && typeof only === 'string') return only;
  const [word] = Array.isArray(words) ? (words as readonly unknown[]) : [];
  return types.length === 0 && (typeof word === 'string' || typeof word === 'boolean') ? typeof word : null;
}

/** The output schema of a tool as `tools/list` shows it: the members that every result has. */
export function outputOutline(schema: JsonSchema): JsonSchema {
  const required = namesIn(schema['required']);
  return { type: 'object', ...(required.length === 0 ? {} : { required }) };
}
