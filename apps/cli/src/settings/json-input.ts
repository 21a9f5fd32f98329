import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { fileOrStdin, utf8Text } from './stdin.js';

/** The JSON object of a file, or of standard input if the file is named `-`. */
export async function jsonObject(
  file: string,
  name: string,
  invocation: Invocation,
): Promise<Readonly<Record<string, unknown>>> {
  let value: unknown;
  try {
    value = JSON.parse(utf8Text(await fileOrStdin(file, name, invocation), name));
  } catch (error) {
    if (error instanceof SyntaxError) throw usageError(`${name} is not JSON`);
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageError(`${name} is not a JSON object`);
  return value as Readonly<Record<string, unknown>>;
}
