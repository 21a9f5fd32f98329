/** Reason of a refused filter in words for the client. Never contains received data. */
export class MalformedFilter extends Error {
  override readonly name = 'MalformedFilter';
}

/** A parsed JSON value that is an object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
