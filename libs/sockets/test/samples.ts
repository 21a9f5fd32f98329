import { parseAppRecord, type AppRecord } from '@carillon/config';
import { configuration } from '@carillon/testing';

/** The configuration of this environment, everything else at its default. */
export const config = configuration;

/** A valid record with key `shop-key` and secret `shop-secret`; `policy` is in the stored form. */
export function record(policy: object = {}, more: object = {}): AppRecord {
  const parsed = parseAppRecord({ id: 'shop', key: 'shop-key', secret: 'shop-secret', policy, ...more }, '');
  if (parsed.record === null) throw new Error(JSON.stringify(parsed.problems));
  return parsed.record;
}
