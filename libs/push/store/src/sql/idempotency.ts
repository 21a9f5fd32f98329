import type { IdempotencyRow } from '../model/publishes.js';
import type { Statements } from './session.js';
import { textOf } from './table.js';
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

interface Remembered {
  readonly appId: string;
  /** Sorted, each once. */
  readonly keys: readonly string[];
  readonly nowMs: number;
  readonly untilMs: number;
}

/** Adds keys, or renews those whose time is over; resolves with both. Has to run inside a transaction in MySQL. */
export async function rememberKeys(
  one: Statements,
  { appId, keys, nowMs, untilMs }: Remembered,
): Promise<ReadonlySet<string>> {
  const { name } = IDEMPOTENCY;
  if (one.dialect === 'postgres') {
    const text = `insert into ${name} as kept (app_id, item_key, expires_ms)
      select ?::text, given.key, ?::bigint from unnest(?::text[]) as given(key)
      on conflict (app_id, item_key) do update set expires_ms = excluded.expires_ms where kept.expires_ms <= ?
      returning kept.item_key`;
    const { rows } = await one.run(text, [appId, untilMs, keys, nowMs]);
    return new Set(rows.map((row) => textOf(row['item_key'])));
  }
  const added = new Set<string>();
  for (const key of keys) {
    const row = { appId, itemKey: key, publishId: null, bodyHash: null, expiresMs: untilMs };
    const renew = `update ${name} set expires_ms = ? where app_id = ? and item_key = ? and expires_ms <= ?`;
    const isNew =
      (await one.add(IDEMPOTENCY, [row])) === 1 ||
      (await one.run(renew, [untilMs, appId, key, nowMs])).changed === 1;
    if (isNew) added.add(key);
  }
  return added;
}
