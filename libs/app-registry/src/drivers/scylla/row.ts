import type { AppRecord } from '@carillon/config';
import type { ScyllaRow } from '@carillon/scylla';
import { AppNotStorable } from '../../failures.js';
import type { StoredApp } from '../../port.js';
import { contentRevision, isWellFormed, parseStoredApp, storedForm } from '../stored-form.js';

/** Columns that are read of an app. */
export const COLUMNS = 'id, "key", secret, enabled, policy';

/** Longest partition key and longest indexed value; ids and keys of records are shorter. */
const MAX_KEY_BYTES = 65_535;
const MAX_POLICY_BYTES = 1_048_576;

/** The values of every column but the times. */
export interface AppRow {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
  readonly enabled: boolean;
  readonly policy: string;
}

/** @throws AppNotStorable */
export function rowOf(record: AppRecord): AppRow {
  const { id, key, secret, enabled, policy } = storedForm(record);
  const text = JSON.stringify(policy);
  if (Buffer.byteLength(text) > MAX_POLICY_BYTES) {
    throw new AppNotStorable(record.id, `policy must be at most ${MAX_POLICY_BYTES} bytes of JSON`);
  }
  return { id, key, secret, enabled, policy: text };
}

/** False for an id or a key that no stored app can have. */
export const isAskable = (value: string): boolean =>
  value !== '' && isWellFormed(value) && Buffer.byteLength(value) <= MAX_KEY_BYTES;

/** The revision of a row. */
export const revisionOf = ({ key, enabled, policy }: ScyllaRow): string =>
  contentRevision([key, enabled, null, policy]);

/** Null if there is no row. */
export function appOf(row: ScyllaRow | undefined): StoredApp | null {
  if (row === undefined) return null;
  const { id, key, secret, enabled, policy } = row;
  const head = { key, secret, enabled: enabled ?? true };
  return parseStoredApp(String(id), head, typeof policy === 'string' ? policy : null);
}
