import { REDACTED, Secret } from '@carillon/config';
import { appIdOf, type Call } from '../http/call.js';
import { conflict } from '../http/fields.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { newSecret } from './new-app.js';
import { changeApp, itemOf, written } from './stored-app.js';
import { validPreviousUntil } from './view.js';

export interface Rotation {
  readonly grace_seconds?: number;
  readonly replace_previous?: boolean;
}

/** Replaces the secret; the replaced one stays valid for the grace period. */
export async function rotateSecret(call: Call<unknown, Rotation>, parts: ManagementParts): Promise<Reply> {
  const { grace_seconds = parts.settings().secret_grace_seconds, replace_previous = false } = call.body;
  const secret = newSecret();
  const { after } = await changeApp(appIdOf(call), parts, ({ record }) => {
    const nowMs = Date.now();
    if (!replace_previous && validPreviousUntil(record, nowMs) !== null)
      throw conflict('the previous secret is still valid; expire it or set replace_previous');
    const isKept = grace_seconds > 0;
    return written({
      ...record,
      secret: new Secret(secret),
      previous_secret: isKept ? record.secret : null,
      previous_secret_expires_at_ms: isKept ? nowMs + grace_seconds * 1000 : null,
    });
  });
  const expiresAtMs = after.record.previous_secret_expires_at_ms;
  call.audit.after = { secret: REDACTED, previous_secret_expires_at_ms: expiresAtMs };
  return ok({ secret, previous_secret_expires_at_ms: expiresAtMs }, { etag: after.etag });
}

/** Ends the validity of the previous secret; idempotent. */
export async function expirePreviousSecret(call: Call, parts: ManagementParts): Promise<Reply> {
  const { before, after } = await changeApp(appIdOf(call), parts, ({ record }) =>
    record.previous_secret === null
      ? record
      : written({ ...record, previous_secret: null, previous_secret_expires_at_ms: null }),
  );
  call.audit.changed(
    { previous_secret_expires_at_ms: before.previous_secret_expires_at_ms },
    { previous_secret_expires_at_ms: null },
  );
  return ok(itemOf(after.record, parts), { etag: after.etag });
}
