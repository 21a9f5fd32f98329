import { appIdOf, type Call } from '../http/call.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { itemOf, readApp } from './stored-app.js';

export async function showApp(call: Call, parts: ManagementParts): Promise<Reply> {
  const { record, etag } = await readApp(appIdOf(call), parts);
  return ok(itemOf(record, parts), { etag });
}
