import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type AppRecord, parseAppRecord } from '@carillon/config';
import { AppNotStorable } from '../../failures.js';
import { BrokenApp, type StoredApp } from '../../port.js';
import { isTable, recordOf, storedForm } from '../stored-form.js';

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

/** Null: there is nothing, or what keeps a key taken. */
export function appOf(item: Item | undefined): StoredApp | null {
  const id = item?.['id']?.S;
  const key = item?.['key']?.S;
  if (item === undefined || id === undefined || key === undefined) return null;
  const head = { id, key, secret: item['secret']?.S, enabled: item['enabled']?.BOOL ?? true };
  const policy = policyOf(item['policy']?.S);
  if (policy === null) return new BrokenApp(id, [{ path: 'policy', message: 'is not a table in JSON' }]);
  const parsed = parseAppRecord(recordOf(head, policy), '');
  return parsed.record ?? new BrokenApp(id, parsed.problems);
}

/** The policy of an app that has none is empty; null: it cannot be read. */
function policyOf(text: string | undefined): Record<string, unknown> | null {
  if (text === undefined) return {};
  try {
    const policy: unknown = JSON.parse(text);
    return isTable(policy) ? policy : null;
  } catch {
    return null;
  }
}
