import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { AppRecord } from '@carillon/config';
import { AppNotStorable } from '../../failures.js';
import type { StoredApp } from '../../port.js';
import { contentRevision, parseStoredApp, storedForm } from '../stored-form.js';

export type Item = Record<string, AttributeValue>;

/** The cloud takes no longer item, all of its names and values together. */
const MAX_ITEM_BYTES = 400 * 1024;

/** @throws AppNotStorable */
export function itemOf(record: AppRecord, nowMs: number): Item {
  const { id, key, secret, enabled, policy } = storedForm(record);
  const text = JSON.stringify(policy);
  const size = [id, key, secret, text].reduce((sum, value) => sum + Buffer.byteLength(value), 200);
  if (size > MAX_ITEM_BYTES) throw new AppNotStorable(id, `it must be at most ${MAX_ITEM_BYTES} bytes`);
  return {
    id: { S: id },
    key: { S: key },
    secret: { S: secret },
    enabled: { BOOL: enabled },
    policy: { S: text },
    updated_at: { N: String(nowMs) },
  };
}

/** The revision of an item. */
export const revisionOf = (item: Item): string =>
  contentRevision([item['key']?.S, item['enabled']?.BOOL, item['updated_at']?.N, item['policy']?.S]);

/** Returns null if the item is missing or only reserves a key. */
export function appOf(item: Item | undefined): StoredApp | null {
  const id = item?.['id']?.S;
  const key = item?.['key']?.S;
  if (item === undefined || id === undefined || key === undefined) return null;
  const head = { key, secret: item['secret']?.S, enabled: item['enabled']?.BOOL ?? true };
  return parseStoredApp(id, head, item['policy']?.S ?? null);
}
