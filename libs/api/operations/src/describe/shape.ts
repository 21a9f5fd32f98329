import type { JsonSchema } from './json-schema.js';

declare const VALUE: unique symbol;

/** Shape of an answer: its schema for documents and its type for the code. */
export interface Shape<Value> {
  readonly schema: JsonSchema;
  /** Never there; it holds the type. */
  readonly [VALUE]?: Value;
}

/** The type that a shape describes. */
export type ValueOf<One> = One extends Shape<infer Value> ? Value : never;

type Members = Readonly<Record<string, Shape<unknown>>>;
type Required<Some extends Members> = { readonly [Name in keyof Some]: ValueOf<Some[Name]> };
type Optional<Some extends Members> = { readonly [Name in keyof Some]?: ValueOf<Some[Name]> };

export const text = (description: string): Shape<string> => ({ schema: { type: 'string', description } });

export const count = (description: string): Shape<number> => ({
  schema: { type: 'integer', minimum: 0, description },
});

export const flag = (description: string): Shape<boolean> => ({ schema: { type: 'boolean', description } });

/** Always the same value. */
export const always = <const Value extends string | boolean>(
  value: Value,
  description: string,
): Shape<Value> => ({ schema: { const: value, description } });

/** One of these words. */
export const oneOf = <Word extends string>(words: readonly Word[], description: string): Shape<Word> => ({
  schema: { type: 'string', enum: words, description },
});

export const listOf = <Item>(item: Shape<Item>, description: string): Shape<readonly Item[]> => ({
  schema: { type: 'array', items: item.schema, description },
});

/** Null if missing. */
export const orNull = <Value>({ schema }: Shape<Value>): Shape<Value | null> => ({
  schema: { ...schema, type: [schema['type'], 'null'] },
});

/** Any published JSON. */
export const anything = (description: string): Shape<unknown> => ({ schema: { description } });

/** Values by arbitrary names. */
export const mapOf = <Value>(
  value: Shape<Value>,
  description: string,
): Shape<Readonly<Record<string, Value>>> => ({
  schema: { type: 'object', additionalProperties: value.schema, description },
});

/** An object that always has the first members and may have the second. */
export function object<Always extends Members>(always: Always): Shape<Required<Always>>;
export function object<Always extends Members, Perhaps extends Members>(
  always: Always,
  perhaps: Perhaps,
): Shape<Required<Always> & Optional<Perhaps>>;
export function object(always: Members, perhaps: Members = {}): Shape<unknown> {
  const required = Object.keys(always);
  const members = Object.entries({ ...always, ...perhaps });
  return {
    schema: {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(members.map(([name, { schema }]) => [name, schema])),
    },
  };
}

export const OK_SHAPE = object({ ok: always(true, 'It is done.') });
/** Result of operations without a value. */
export const OK = { value: { ok: true } } as const;

/** The one or the other. */
export const either = <One, Other>(one: Shape<One>, other: Shape<Other>): Shape<One | Other> => ({
  schema: { anyOf: [one.schema, other.schema] },
});
