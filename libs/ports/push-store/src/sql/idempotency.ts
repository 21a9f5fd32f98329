import type { IdempotencyRow } from '../model/publishes.js';
import type { Statements } from './session.js';
import { IDEMPOTENCY } from './tables.js';

/** The publish that has the key; null: it is ours now, or its time was over and it can be. */
export async function claimKey(
  one: Statements,
  row: IdempotencyRow & { readonly appId: string },
  nowMs: number,
): Promise<string | null> {
  if ((await one.add(IDEMPOTENCY, [keyRow(row.appId, row)])) === 1) return null;
  const rest = 'where app_id = ? and item_key = ? for update';
  const there = await one.row(IDEMPOTENCY, rest, [row.appId, row.key]);
  if (there !== null && there.expiresMs > nowMs) return there.publishId;
  await one.put(IDEMPOTENCY, keyRow(row.appId, row));
  return null;
}

export const keyRow = (appId: string, { key: itemKey, publishId, bodyHash, expiresMs }: IdempotencyRow) => ({
  appId,
  itemKey,
  publishId,
  bodyHash,
  expiresMs,
});
