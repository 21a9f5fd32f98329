import { appIdOf, type Call } from '../http/call.js';
import { appNotFound } from '../http/authorize.js';
import { conflict, invalidField } from '../http/fields.js';
import { NO_CONTENT, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { checkWritable, itemOf, readApp, storeErrors } from './stored-app.js';

export async function deleteApp(
  call: Call<{ readonly confirm?: string }>,
  parts: ManagementParts,
): Promise<Reply> {
  const appId = appIdOf(call);
  if (call.query.confirm !== appId) throw invalidField('confirm', 'must be the id of the app');
  const { record } = await readApp(appId, parts);
  checkWritable(appId, parts);
  if (record.enabled) throw conflict('disable the app first');
  if (!(await storeErrors(parts.apps.delete(appId)))) throw appNotFound();
  call.audit.changed(itemOf(record, parts), null);
  return NO_CONTENT;
}
