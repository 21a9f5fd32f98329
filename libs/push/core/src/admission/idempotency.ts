import { ServiceError } from '@carillon/errors';
import type { IdempotencyRow, StoredPublish } from '@carillon/push-store';
import type { PushParts } from '../parts.js';
import type { Prepared } from './prepare.js';

const DAY_MS = 86_400_000;

/** Returns the idempotency keys of a publish: its id, independent of its content, and its key with the content. */
export function keysOf(
  { config, now }: PushParts,
  { appId, publishId, request, bodyHash }: Prepared,
): IdempotencyRow[] {
  const { notBeforeMs, expiresAtMs, idempotencyKey } = request;
  const longestMs = now() + config.push.publish_status_ttl_days * DAY_MS;
  const wantedMs = Math.max(now() + DAY_MS, expiresAtMs ?? 0, (notBeforeMs ?? 0) + DAY_MS);
  const common = { publishId, expiresMs: Math.min(wantedMs, Math.max(longestMs, now() + DAY_MS)) };
  const own: IdempotencyRow = { ...common, key: `publish-id:${appId}:${publishId}`, bodyHash: null };
  return idempotencyKey === null ? [own] : [own, { ...common, key: keyOf(appId, idempotencyKey), bodyHash }];
}

/** Null: not published before. */
export async function knownPublish(parts: PushParts, prepared: Prepared): Promise<StoredPublish | null> {
  const { store, now } = parts;
  const { appId, bodyHash, request } = prepared;
  if (request.publishId === null && request.idempotencyKey === null) return null;
  const keys = keysOf(parts, prepared).map(({ key }) => key);
  for (const row of await store.idempotency(appId, keys, now())) {
    const publish = row.publishId === null ? null : await store.publish(appId, row.publishId);
    if (publish === null) continue;
    checkBody(row, bodyHash);
    return publish;
  }
  return null;
}

/** Checks that the key of a known publish came with the same content. */
export async function checkKey(
  { store, now }: PushParts,
  { appId, request, bodyHash }: Prepared,
): Promise<void> {
  if (request.idempotencyKey === null) return;
  const [row] = await store.idempotency(appId, [keyOf(appId, request.idempotencyKey)], now());
  if (row !== undefined) checkBody(row, bodyHash);
}

function checkBody(row: IdempotencyRow, bodyHash: string): void {
  if (row.bodyHash !== null && row.bodyHash !== bodyHash)
    throw new ServiceError('conflict', { text: 'idempotency key was already used with a different payload' });
}

const keyOf = (appId: string, key: string): string => `publish-key:${appId}:${key}`;
