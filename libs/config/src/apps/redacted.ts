import { REDACTED } from '../secret.js';
import { serializeAppRecord } from './app-record.js';
import { type AppRecord } from './record.js';
import { NO_EXTRA } from './extra.js';
import { isTable } from './table.js';
import type { WebhookEntry } from './webhook-entry.js';

/**
 * Returns the JSON form for display: key, secret, webhook header values and the userinfo of webhook URLs are
 * redacted. Unknown members are omitted, because they may be secret.
 */
export function redactedAppRecord(record: AppRecord): Record<string, unknown> {
  const known = withoutExtra(record) as AppRecord;
  const policy = { ...known.policy, webhooks: known.policy.webhooks.map(redactedWebhook) };
  const previous = record.previous_secret === null ? {} : { previous_secret: REDACTED };
  return { ...serializeAppRecord({ ...known, policy }), key: REDACTED, secret: REDACTED, ...previous };
}

function redactedWebhook(entry: WebhookEntry): WebhookEntry {
  const names = Object.keys(entry.headers);
  return {
    ...entry,
    url: entry.url === null ? null : redactedUrl(entry.url),
    headers: Object.fromEntries(names.map((name) => [name, REDACTED])),
  };
}

function redactedUrl(url: string): string {
  const { username, password, protocol, host, pathname, search, hash } = new URL(url);
  if (username === '' && password === '') return url;
  return `${protocol}//${REDACTED}@${host}${pathname}${search}${hash}`;
}

function withoutExtra(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExtra);
  if (value instanceof Map) return new Map([...value].map(([name, one]) => [name, withoutExtra(one)]));
  if (!isTable(value) || !isTable(value['extra'])) return value;
  const members = Object.entries(value).map(([name, one]) => [name, withoutExtra(one)]);
  return { ...Object.fromEntries(members), extra: NO_EXTRA };
}
