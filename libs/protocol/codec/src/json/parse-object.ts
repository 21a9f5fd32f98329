/** A JSON object as parsed. Members may be of any type, and any may be missing. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object, not an array and not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a text holds; null when it holds anything else. Never throws, however deep the nesting. */
export function parseJsonObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** A member that is present: null counts as absent, and nothing is inherited. */
export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
}
