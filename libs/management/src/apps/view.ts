import { createHash } from 'node:crypto';
import { type AppRecord, REDACTED, redactedAppRecord } from '@carillon/config';

export type AppOrigin = 'config' | 'store';

/** An app as the API shows it: never its secrets. */
export interface AppItem {
  readonly id: string;
  readonly key: string;
  readonly enabled: boolean;
  readonly policy: unknown;
  readonly origin: AppOrigin;
  /** Null: no previous secret is valid. */
  readonly previous_secret_expires_at_ms: number | null;
  readonly created_at_ms: number | null;
  readonly updated_at_ms: number | null;
}

type Json = Record<string, unknown>;

export function appItem(record: AppRecord, origin: AppOrigin, nowMs: number): AppItem {
  const { id, key, enabled, created_at_ms, updated_at_ms } = record;
  return {
    id,
    key,
    enabled,
    policy: redactedPolicy(record),
    origin,
    previous_secret_expires_at_ms: validPreviousUntil(record, nowMs),
    created_at_ms,
    updated_at_ms,
  };
}

/** End of the validity of the previous secret; null if there is none that is valid. */
export function validPreviousUntil(record: AppRecord, nowMs: number): number | null {
  const { previous_secret: previous, previous_secret_expires_at_ms: expiresAtMs } = record;
  return previous !== null && expiresAtMs !== null && expiresAtMs > nowMs ? expiresAtMs : null;
}

/** The policy without values of webhook headers, and without userinfo and query values of webhook URLs. */
function redactedPolicy(record: AppRecord): Json {
  const policy = redactedAppRecord(record)['policy'] as Json;
  const webhooks = record.policy.webhooks.map(({ url }, index) => {
    const shown = (policy['webhooks'] as Json[])[index] ?? {};
    return url === null ? shown : { ...shown, url: redactedUrl(url) };
  });
  return { ...policy, webhooks };
}

/** The URL with userinfo and the values of its query replaced. */
export function redactedUrl(url: string): string {
  const { username, password, protocol, host, pathname, search, hash } = new URL(url);
  const userinfo = username === '' && password === '' ? '' : `${REDACTED}@`;
  const query = search.replaceAll(/([?&][^=&]*)=[^&]*/g, `$1=${REDACTED}`);
  return `${protocol}//${userinfo}${host}${pathname}${query}${hash}`;
}

/** The entity tag of a revision. */
export const etagOf = (revision: string): string =>
  `"${createHash('sha256').update(revision).digest('base64url').slice(0, 22)}"`;
