import { signer } from '../api/signed.js';
import type { Invocation } from '../program/invocation.js';

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const socketId = values.required('socket-id');
  const id = values.required('user-id');
  const info = values.json('user-info');
  const watchlist = values.text('watchlist');
  const server = await signer(invocation);
  const user = {
    id,
    ...(info === undefined ? {} : { user_info: info }),
    ...(watchlist === undefined ? {} : { watchlist: watchlist.split(',') }),
  };
  terminal.document(await server.authenticateUser(socketId, user));
}
