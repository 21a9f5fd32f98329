import type { CommitRecord } from '@carillon/contract';

/** What a record's receipt is found by: the identity of its key, else its own. A UUID. */
export function receiptScope(record: CommitRecord): string {
  const key = 'idem' in record ? record.idem : undefined;
  if (key === undefined) return record.pub_id;
  const hex = key.scope;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** The content check of a record's key; null: it has none. */
export const fingerprintOf = (record: CommitRecord): string | null =>
  'idem' in record ? (record.idem?.fingerprint ?? null) : null;
