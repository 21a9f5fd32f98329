import type { Carillon, ClientOptions } from '@carillon/client';
import { signer } from '../api/signed.js';
import type { Invocation } from '../program/invocation.js';
import { readSecret } from '../settings/secret-input.js';
import { observedSocket, type SocketObserver } from './socket.js';

/** A client of the service with the credentials of a call. It is not connected yet. */
export async function socketClient(invocation: Invocation, observer: SocketObserver): Promise<Carillon> {
  const connection = await invocation.connection();
  const { Carillon } = await import('@carillon/client');
  const options: ClientOptions = {
    url: connection.url,
    key: connection.key,
    clientName: 'carillon-cli',
    WebSocket: observedSocket(observer),
    authorize: async ({ socketId, channel }) => {
      const server = await signer(invocation);
      return server.authorizeChannel(socketId, channel, memberOf(invocation, channel));
    },
  };
  const capability = invocation.values.text('capability');
  if (capability === undefined) return new Carillon(options);
  return new Carillon({ ...options, token: await readSecret(capability, '--capability', invocation) });
}

function memberOf(
  { values }: Invocation,
  channel: string,
): { readonly user_id: string; readonly user_info?: unknown } | undefined {
  if (!channel.startsWith('presence-')) return undefined;
  const info = values.json('user-info');
  return {
    user_id: values.text('user-id') ?? `cli-${process.pid}`,
    ...(info === undefined ? {} : { user_info: info }),
  };
}
