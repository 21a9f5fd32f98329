import { ServiceError } from '@carillon/errors';
import { isJsonObject, type JsonObject } from '../json/json-body.js';
import type { JsonSchema } from './json-schema.js';

/**
 * A member of a request body: the single definition for its reader and for documents. Null counts as absent. Limits
 * that depend on the app are only described.
 */
export class Field<Value> {
  constructor(
    readonly name: string,
    readonly schema: JsonSchema & { readonly description: string },
    /** Throws `invalid_input` for every value that this member may not have. */
    private readonly read: (value: unknown, name: string) => Value,
  ) {}

  /**
   * Returns the member of an object; undefined if absent.
   * @throws ServiceError `invalid_input` if it is invalid
   */
  of(object: JsonObject): Value | undefined {
    if (!Object.hasOwn(object, this.name)) return undefined;
    const value = object[this.name];
    return value === undefined || value === null ? undefined : this.read(value, this.name);
  }
}

/** Limits of a text in UTF-8 bytes. A character has at least one byte, so they also hold in characters. */
export interface TextBounds {
  /** 1 or absent: whether it may be empty. */
  readonly minBytes?: 1;
  /** Absent: any number. */
  readonly maxBytes?: number;
}

/** A member that is a string. */
export function textField(name: string, description: string, bounds: TextBounds = {}): Field<string> {
  const { minBytes = 0, maxBytes = Infinity } = bounds;
  const schema = {
    type: 'string',
    ...(minBytes === 0 ? {} : { minLength: minBytes }),
    ...(maxBytes === Infinity ? {} : { maxLength: maxBytes }),
    description,
  };
  return new Field(name, schema, (value) => {
    if (typeof value !== 'string') throw wrong(name, 'be a string');
    if (value.length < minBytes) throw wrong(name, 'not be empty');
    if (maxBytes === Infinity || Buffer.byteLength(value) <= maxBytes) return value;
    throw wrong(name, `have at most ${maxBytes} bytes`);
  });
}

/** A member that is true or false. */
export const flagField = (name: string, description: string): Field<boolean> =>
  new Field(name, { type: 'boolean', description }, readFlag);

/** A member that is a whole number no arithmetic distorts; absent minimum: any of them. */
export function integerField(name: string, description: string, minimum?: number): Field<number> {
  const bounds = minimum === undefined ? {} : { minimum };
  return new Field(name, { type: 'integer', ...bounds, description }, (value) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw wrong(name, 'be an integer');
    if (minimum !== undefined && value < minimum) throw wrong(name, `be at least ${minimum}`);
    return value;
  });
}

/** An object member; `more` describes its members, which its own reader validates. */
export const objectField = (name: string, description: string, more: JsonSchema = {}): Field<JsonObject> =>
  new Field(name, { type: 'object', ...more, description }, readObject);

/** A member that is a list; `more` describes its items, which its own reader checks. */
export const listField = (
  name: string,
  description: string,
  more: JsonSchema = {},
): Field<readonly unknown[]> => new Field(name, { type: 'array', ...more, description }, readList);

/** A member of any type. */
export const anyField = (name: string, description: string): Field<unknown> =>
  new Field(name, { description }, (value) => value);

/** Error of an invalid member. */
export const wrong = (name: string, must: string) =>
  new ServiceError('invalid_input', { text: `${name} must ${must}` });

function readFlag(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value;
  throw wrong(name, 'be true or false');
}

function readObject(value: unknown, name: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw wrong(name, 'be an object');
}

function readList(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrong(name, 'be an array');
}
