import { isStorable } from '@carillon/contracts';
import { ServiceError } from '@carillon/errors';
import { isObject, type JsonObject } from '@carillon/push-providers';

export const invalid = (text: string): ServiceError => new ServiceError('invalid_input', { text });

/**
 * Returns the text if it can be stored unchanged. @throws ServiceError `invalid_input` for characters that databases
 * reject.
 */
export function storable(name: string, value: string): string {
  if (!isStorable(value)) throw invalid(`${name} holds a character that cannot be stored`);
  return value;
}

interface TextBounds {
  readonly maxBytes: number;
  /** Absent: it may be blank. */
  readonly notBlank?: true;
}

/** A member that is text; undefined when it is absent or null. */
export function textOf(
  body: JsonObject,
  name: string,
  { maxBytes, notBlank }: TextBounds,
): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalid(`${name} must be a string`);
  if (notBlank === true && value.trim() === '') throw invalid(`${name} must not be empty`);
  if (Buffer.byteLength(value) > maxBytes) throw invalid(`${name} must have at most ${maxBytes} bytes`);
  return storable(name, value);
}

export function neededText(body: JsonObject, name: string, maxBytes: number): string {
  const value = textOf(body, name, { maxBytes, notBlank: true });
  if (value === undefined) throw invalid(`${name} is required`);
  return value;
}

export function integerOf(body: JsonObject, name: string, minimum: number): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < minimum) {
    throw invalid(`${name} must be an integer of at least ${minimum}`);
  }
  return value;
}

export function flagOf(body: JsonObject, name: string): boolean {
  const value = body[name];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw invalid(`${name} must be true or false`);
  return value;
}

export function objectOf(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw invalid(`${name} must be an object`);
  return value;
}

export function wordOf<const Word extends string>(
  body: JsonObject,
  name: string,
  words: readonly Word[],
): Word {
  const found = words.find((word) => word === body[name]);
  if (found === undefined) throw invalid(`${name} must be one of ${words.join(', ')}`);
  return found;
}

/** The member under either of its names. */
export function aliased(body: JsonObject, name: string, alias: string): unknown {
  return body[name] ?? body[alias];
}

export function wholeObject(body: unknown): JsonObject {
  if (isObject(body)) return body;
  throw invalid('the body must be a JSON object');
}
