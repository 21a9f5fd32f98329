import type { CommitRecord } from '@carillon/contracts';
import type { FoundReceipt } from '@carillon/history-store';

/** Key of a record's receipt: derived from the idempotency key, else the record's id. A UUID. */
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

/** Fields of the record stored in its receipt: caps remove a row long before its receipt expires. */
const PLACE = 'place';
type Place = readonly [history: number, atMs: number, message: string | null, version: string | null];

/**
 * The place of a record as its receipt keeps it. Nothing where it follows from the rest: its history serial is that of
 * its delivery, and it was published when the receipt was written.
 */
export function placeToKeep(outcome: Partial<FoundReceipt>, nowMs: number): { readonly extra?: string } {
  const {
    deliverySerial,
    historySerial,
    publishedAtMs,
    messageSerial = null,
    versionSerial = null,
  } = outcome;
  if (typeof deliverySerial !== 'number' || typeof historySerial !== 'number') return {};
  if (typeof publishedAtMs !== 'number' || typeof outcome.extra === 'string') return {};
  const follows = historySerial === deliverySerial && publishedAtMs === nowMs;
  if (follows && messageSerial === null && versionSerial === null) return {};
  const place: Place = [historySerial, publishedAtMs, messageSerial, versionSerial];
  return { extra: JSON.stringify({ [PLACE]: place }) };
}

/** A receipt as it was written, whether the row of its record is still there or not. */
export function whole(receipt: FoundReceipt): FoundReceipt {
  const { deliverySerial, extra, atMs } = receipt;
  if (deliverySerial === null) return receipt;
  const kept: unknown = extra === null ? undefined : JSON.parse(extra)[PLACE];
  if (extra !== null && kept === undefined) return receipt;
  const bare = { ...receipt, extra: null };
  if (receipt.publishedAtMs !== null) return bare;
  const [historySerial, publishedAtMs, messageSerial, versionSerial] = (kept ?? [
    deliverySerial,
    atMs,
    null,
    null,
  ]) as Place;
  return { ...bare, historySerial, publishedAtMs, messageSerial, versionSerial };
}
