import { createHash } from 'node:crypto';
import { ServiceError } from '@carillon/errors';
import { REDACTED } from '@carillon/config';
import type { Call } from '../http/call.js';
import type { Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { type CreatedApp, IdempotentCreation } from './idempotent-creation.js';
import { type NewApp, newAppRecord } from './new-app.js';
import { checkWritable, itemOf, readApp, type StoredApp, storeErrors } from './stored-app.js';

const KEY_HEADER = 'x-idempotency-key';
const MAX_KEY_LENGTH = 255;

export async function createApp(call: Call<unknown, NewApp>, parts: ManagementParts): Promise<Reply> {
  checkWritable(null, parts);
  const key = call.header(KEY_HEADER);
  if (key === undefined) return created(call, parts, await create(call, parts), false);
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > MAX_KEY_LENGTH)
    throw new ServiceError('invalid_input', {
      text: `X-Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} ASCII characters`,
    });
  const creation = new IdempotentCreation(parts.cache, call.principal.name, key);
  const bodySha256 = createHash('sha256').update(JSON.stringify(call.body)).digest('hex');
  const earlier = await creation.begin(bodySha256);
  if (earlier !== null) return created(call, parts, await unchanged(earlier, parts), true);
  try {
    const stored = await create(call, parts);
    await creation.complete({ appId: stored.record.id, revision: stored.revision, bodySha256 });
    return created(call, parts, stored, false);
  } catch (error) {
    await creation.abandon();
    throw error;
  }
}

async function create({ body, audit }: Call<unknown, NewApp>, parts: ManagementParts): Promise<StoredApp> {
  const record = newAppRecord(body);
  audit.appId = record.id;
  audit.target = record.id;
  checkWritable(record.id, parts);
  await storeErrors(parts.apps.create(record));
  audit.changed(null, { ...itemOf(record, parts), secret: REDACTED });
  return readApp(record.id, parts);
}

/** @throws ServiceError `conflict` if the app that an earlier request created was changed since */
async function unchanged({ appId, revision }: CreatedApp, parts: ManagementParts): Promise<StoredApp> {
  const stored = await readApp(appId, parts).catch(() => null);
  if (stored !== null && stored.revision === revision) return stored;
  throw new ServiceError('conflict', { text: 'the app that this key created was changed since' });
}

/** The secret is shown only where the service generated it. */
function created(
  { body, audit }: Call<unknown, NewApp>,
  parts: ManagementParts,
  { record, etag }: StoredApp,
  isReplayed: boolean,
): Reply {
  audit.appId = record.id;
  audit.target = record.id;
  return {
    status: 201,
    body: {
      ...itemOf(record, parts),
      secret: body.secret === undefined ? record.secret.reveal() : null,
    },
    headers: {
      etag,
      location: `/manage/v1/apps/${record.id}`,
      ...(isReplayed ? { 'x-idempotency-replayed': 'true' } : {}),
    },
  };
}
