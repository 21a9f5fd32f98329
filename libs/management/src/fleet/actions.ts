import { appIdOf, type Call } from '../http/call.js';
import { invalidField } from '../http/fields.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { channelOf } from './channels.js';
import { appOf, deadlineOf, type DeadlineQuery, notFound } from './common.js';

const MAX_MESSAGE_BYTES = 100;

export interface DisconnectBody {
  readonly code?: 4009 | 4200;
  readonly message?: string;
}

export interface RemoveUserBody {
  readonly user_id: string;
}

export async function disconnectConnection(
  call: Call<DeadlineQuery, DisconnectBody>,
  parts: ManagementParts,
): Promise<Reply> {
  await appOf(call, parts);
  const { socket_id = '' } = call.params;
  const target = { app_id: appIdOf(call), socket_id, ...optionsOf(call.body) };
  const { closed, ...coverage } = await parts.fleet.state.disconnect(target, deadlineOf(call, parts));
  if (closed === 0) throw notFound('the connection does not exist', coverage);
  return ok({ ok: true, closed, ...coverage });
}

export async function disconnectUser(
  call: Call<DeadlineQuery, DisconnectBody>,
  parts: ManagementParts,
): Promise<Reply> {
  await appOf(call, parts);
  const { user_id = '' } = call.params;
  const target = { app_id: appIdOf(call), user_id, ...optionsOf(call.body) };
  const { closed, ...coverage } = await parts.fleet.state.disconnect(target, deadlineOf(call, parts));
  return ok({ ok: true, closed, ...coverage });
}

export async function removeUser(
  call: Call<DeadlineQuery, RemoveUserBody>,
  parts: ManagementParts,
): Promise<Reply> {
  await appOf(call, parts);
  const { user_id } = call.body;
  const target = { app_id: appIdOf(call), channel: channelOf(call), user_id };
  call.audit.after = { user_id };
  const { removed, ...coverage } = await parts.fleet.state.removeUser(target, deadlineOf(call, parts));
  return ok({ ok: true, removed, ...coverage });
}

function optionsOf({
  code = 4009,
  message,
}: DisconnectBody): DisconnectBody & { readonly code: 4009 | 4200 } {
  if (message === undefined) return { code };
  if (Buffer.byteLength(message) > MAX_MESSAGE_BYTES)
    throw invalidField('message', `must have at most ${MAX_MESSAGE_BYTES} bytes`);
  return { code, message };
}
