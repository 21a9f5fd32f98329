import { appIdOf, type Call } from '../http/call.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { appOf, deadlineOf, type DeadlineQuery, notFound } from './common.js';

export async function showConnection(call: Call<DeadlineQuery>, parts: ManagementParts): Promise<Reply> {
  await appOf(call, parts);
  const { socket_id: socketId = '' } = call.params;
  const found = await parts.fleet.state.connection(appIdOf(call), socketId, deadlineOf(call, parts));
  const { item, ...coverage } = found;
  if (item === null) throw notFound('the connection does not exist', coverage);
  return ok({ ...item, ...coverage });
}
