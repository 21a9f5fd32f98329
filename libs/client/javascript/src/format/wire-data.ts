import type { Extras, HeaderValue } from './frame.js';

/** Data in the type-tagged form of the binary formats. */
export type WireData =
  | { readonly kind: 'string' | 'json'; readonly text: string }
  | { readonly kind: 'binary'; readonly bytes: Uint8Array };

/** The data of a frame to be sent; null: it has none. */
export function wireDataOf(data: unknown): WireData | null {
  if (data === undefined) return null;
  if (typeof data === 'string') return { kind: 'string', text: data };
  if (data instanceof Uint8Array) return { kind: 'binary', bytes: data };
  return { kind: 'json', text: JSON.stringify(data) };
}

/** Returns an object with the member of a received frame; empty if it is null, undefined or of another type. */
export const member = <Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): { readonly [key in Name]?: Value } =>
  value === null || value === undefined ? {} : ({ [name]: value } as { readonly [key in Name]: Value });

/** A map without anything in it is no member. */
export const mapMember = <Name extends string, Value>(
  name: Name,
  entries: Iterable<readonly [string, Value]>,
): { readonly [key in Name]?: Readonly<Record<string, Value>> } => {
  const map = Object.fromEntries(entries);
  return Object.keys(map).length === 0 ? {} : member(name, map);
};

/** Only strings, numbers and booleans can be headers. */
export const isHeaderValue = (value: unknown): value is HeaderValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Key of a client's message in `extras`; the service does not send it. */
export const idempotencyKeyOf = (extras: Extras): string | null =>
  typeof extras['idempotencyKey'] === 'string' ? extras['idempotencyKey'] : null;
