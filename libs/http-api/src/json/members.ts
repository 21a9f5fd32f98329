import { ServiceError } from '@carillon/errors';
import { isJsonObject, type JsonObject } from './json-body.js';

// Readers of members of a request body. A member that is null counts as absent, which is undefined here. All throw
// `invalid_input` when the member is of another type.

/** The member as parsed. */
export function member(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
}

/** A member that is a string. */
export function stringMember(object: JsonObject, name: string): string | undefined {
  const value = member(object, name);
  if (value === undefined || typeof value === 'string') return value;
  throw wrongType(name, 'a string');
}

/** A member that is true or false. */
export function booleanMember(object: JsonObject, name: string): boolean | undefined {
  const value = member(object, name);
  if (value === undefined || typeof value === 'boolean') return value;
  throw wrongType(name, 'true or false');
}

/** A member that is a whole number no arithmetic distorts. */
export function integerMember(object: JsonObject, name: string): number | undefined {
  const value = member(object, name);
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value))) return value;
  throw wrongType(name, 'an integer');
}

/** A member that is an object. */
export function objectMember(object: JsonObject, name: string): JsonObject | undefined {
  const value = member(object, name);
  if (value === undefined || isJsonObject(value)) return value;
  throw wrongType(name, 'an object');
}

/** A member that is a list of anything. */
export function listMember(object: JsonObject, name: string): readonly unknown[] | undefined {
  const value = member(object, name);
  if (value === undefined || Array.isArray(value)) return value as readonly unknown[] | undefined;
  throw wrongType(name, 'an array');
}

/** The error of a member that has another type. */
export const wrongType = (name: string, wanted: string) =>
  new ServiceError('invalid_input', { text: `${name} must be ${wanted}` });
