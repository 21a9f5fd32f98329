import { managementApi } from '../api/management.js';
import { withoutRole } from '../api/role.js';
import { segments, signedApi } from '../api/signed.js';
import { confirm } from '../output/confirm.js';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';

const TERMINATE = 4009;
const RECONNECT = 4200;

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const user = values.text('user');
  const connection = values.text('connection');
  if ((user === undefined) === (connection === undefined))
    throw usageError('give either --user or --connection');
  const name = user ?? connection ?? '';
  await confirm(invocation, 'disconnect', name);
  const answer =
    user === undefined
      ? await disconnectConnection(name, invocation)
      : await disconnectUser(name, invocation);
  terminal.result(answer, () => terminal.line(`disconnected ${name}`));
}

async function disconnectUser(user: string, invocation: Invocation): Promise<object> {
  const action = invocation.values.has('reconnect') ? 'force_reconnect' : 'terminate_connections';
  const api = await signedApi(invocation);
  const request = {
    method: 'POST',
    path: segments('users', user, action),
    body: {},
    idempotent: true,
  } as const;
  return withoutRole(api.request<object>(request));
}

async function disconnectConnection(id: string, invocation: Invocation): Promise<object> {
  const { appId } = await invocation.connection();
  const api = await managementApi(invocation);
  const body = { code: invocation.values.has('reconnect') ? RECONNECT : TERMINATE };
  const path = segments('apps', appId, 'connections', id, 'disconnect');
  return (await api.request<object>({ method: 'POST', path, body })).body;
}
