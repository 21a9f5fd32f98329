import { MalformedFilter } from './malformed.js';

/** Hard limits of a filter, regardless of the configuration. */
const MAX_NAMES = 64;
const LONGEST_NAME_BYTES = 256;

/** The names a subscription wants; null: any. Throws where the list is malformed. */
export function readEventNames(
  value: unknown,
  bounds: { readonly maxNames: number; readonly maxNameBytes: number },
): ReadonlySet<string> | null {
  if (!Array.isArray(value)) throw new MalformedFilter('filter.events must be a list');
  const maxNames = Math.min(bounds.maxNames, MAX_NAMES);
  if (value.length > maxNames) throw new MalformedFilter(`filter.events holds more than ${maxNames} names`);
  const maxBytes = Math.min(bounds.maxNameBytes, LONGEST_NAME_BYTES);
  for (const name of value) {
    if (typeof name !== 'string' || name === '') throw new MalformedFilter('filter.events must hold names');
    if (Buffer.byteLength(name) > maxBytes) {
      throw new MalformedFilter(`filter.events holds a name of more than ${maxBytes} bytes`);
    }
  }
  return value.length === 0 ? null : new Set(value as string[]);
}
