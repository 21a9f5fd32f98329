import { isJsonObject, memberOf, parseJsonObject, type JsonObject } from '../json/parse-object.js';

const NOTHING: JsonObject = {};

/** Returns `data` of a system frame, an object or its JSON text. Absent: an empty object. */
export function systemData(data: unknown): JsonObject | null {
  if (data === undefined) return NOTHING;
  if (typeof data === 'string') return parseJsonObject(data);
  return isJsonObject(data) ? data : null;
}

/** A member that has to be a string when present. Null: absent. Undefined: something else. */
export function textMember(object: JsonObject, name: string): string | null | undefined {
  const value = memberOf(object, name);
  if (value === undefined) return null;
  return typeof value === 'string' ? value : undefined;
}

/** A string member where an empty string means absent, as clients send it. */
export function filledMember(object: JsonObject, name: string): string | null | undefined {
  const value = textMember(object, name);
  return value === '' ? null : value;
}
