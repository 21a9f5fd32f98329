import type { AppRecord } from '@carillon/config';
import { AppNotStorable } from '../../failures.js';
import type { StoredApp } from '../../port.js';
import { contentRevision, isWellFormed, type Json, storedApp, storedForm } from '../stored-form.js';

/** The server's integers have 64 bits. */
const INTEGER_BOUND = 2 ** 63;
/** A lone surrogate as JSON escapes it. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/i;

/** Returns the content of a record, without its id. @throws AppNotStorable */
export function contentOf(record: AppRecord): Json {
  const { key, secret, enabled, policy } = storedForm(record);
  if (LONE_SURROGATE.test(JSON.stringify(policy))) {
    throw new AppNotStorable(record.id, 'policy must be well-formed text');
  }
  return { key, secret, enabled, policy: encoded(record.id, policy) };
}

/** Returns the app of a record; null if its id is no text, as ids of apps are. */
export function appOf(record: unknown): StoredApp | null {
  const { id, policy, key, secret, enabled } = record as Json & { readonly id: { readonly id: unknown } };
  if (typeof id.id !== 'string') return null;
  const head = { key, secret, enabled: enabled ?? true };
  return storedApp(id.id, head, decoded(policy ?? {}));
}

/** The values that a conditional update compares: those of the record as it was read. */
export function seenOf(record: unknown): unknown[] {
  const { key, enabled, policy } = record as Json;
  return [key, enabled, policy];
}

/** The revision of a record. */
export function revisionOf(record: unknown): string {
  const [key, enabled, policy] = seenOf(record);
  return contentRevision([key, enabled, null, JSON.stringify(decoded(policy ?? {}))]);
}

/** Whether an id or a key can exist in the store. */
export const isStorableText = (text: string): boolean => text !== '' && isWellFormed(text);

/** The client library encodes integers beyond 53 bits only as `bigint`. */
function encoded(appId: string, value: unknown): unknown {
  return mapped(value, (leaf) => {
    if (typeof leaf !== 'number' || !Number.isInteger(leaf) || Number.isSafeInteger(leaf)) return leaf;
    if (Math.abs(leaf) >= INTEGER_BOUND)
      throw new AppNotStorable(appId, 'numbers of policy must have at most 64 bits');
    return BigInt(leaf);
  });
}

const decoded = (value: unknown): unknown =>
  mapped(value, (leaf) => (typeof leaf === 'bigint' ? Number(leaf) : leaf));

function mapped(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => mapped(entry, leaf));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return leaf(value);
  }
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, mapped(entry, leaf)]));
}
