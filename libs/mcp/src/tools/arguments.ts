import { isJsonObject, type JsonObject, type JsonSchema } from '@carillon/api-operations';

const DIGITS = /^-?\d{1,16}$/;
const APP_ID = {
  type: 'string',
  minLength: 1,
  description: 'App id.',
} as const;
const INFO_WORDS = /`(subscription_count|user_count|cache)`/g;

const propertiesOf = (schema: JsonSchema): Readonly<Record<string, JsonSchema>> =>
  (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;

/** A comma list as the list that it is. */
function asWords(schema: JsonSchema): JsonSchema {
  const text = typeof schema['description'] === 'string' ? schema['description'] : '';
  const description = text.replace(/^Comma list of /, '');
  if (schema['type'] === 'array') return { ...schema, description };
  const words = [...new Set([...description.matchAll(INFO_WORDS)].map(([, word]) => word))];
  return {
    type: 'array',
    items: { type: 'string', ...(words.length === 0 ? {} : { enum: words }) },
    uniqueItems: true,
    description,
  };
}

/** Turns `info` into a list in every event schema. */
function withInfoLists(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(propertiesOf(schema)).map(([name, one]): [string, JsonSchema] => {
    if (name === 'info') return [name, asWords(one)];
    const { items } = one;
    return [
      name,
      isJsonObject(items) && items['properties'] !== undefined
        ? { ...one, items: withInfoLists(items) }
        : one,
    ];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** The arguments of an operation as a tool of an app takes them. */
export function ofApp(schema: JsonSchema): JsonSchema {
  const { properties, ...more } = withInfoLists(schema);
  return { ...more, properties: { app_id: APP_ID, ...(properties as JsonObject) } };
}

/** The same with the place at which a list continues that is cut into pages here. */
export function withCursor({ properties, ...more }: JsonSchema): JsonSchema {
  return { ...more, properties: { ...(properties as JsonObject), cursor: { type: 'string' } } };
}

/** Whether a text is the digits of a number that is held as it is. */
const isInteger = (value: unknown): boolean =>
  typeof value === 'string' && DIGITS.test(value) && Number.isSafeInteger(Number(value));

/** Arguments as given, without those that are null, and with integers that came as digits. */
export function settled(schema: JsonSchema, given: JsonObject): JsonObject {
  const properties = propertiesOf(schema);
  const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    if (value === null) return [];
    const { type } = Object.hasOwn(properties, name) ? (properties[name] ?? {}) : {};
    const types = new Set([type].flat());
    const isNumber = types.has('integer') && !types.has('string') && isInteger(value);
    return [[name, isNumber ? Number(value) : value]];
  });
  return Object.fromEntries(entries);
}

/** Arguments as the operation reads them: lists of words as comma lists again, and no app. */
export function forOperation({ app_id: _app, ...given }: JsonObject): JsonObject {
  const { batch } = given;
  return {
    ...withCommaList(given),
    ...(Array.isArray(batch)
      ? { batch: batch.map((one) => (isJsonObject(one) ? withCommaList(one) : one)) }
      : {}),
  };
}

const withCommaList = (given: JsonObject): JsonObject =>
  Array.isArray(given['info']) ? { ...given, info: given['info'].join(',') } : given;
