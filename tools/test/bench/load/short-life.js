import { setTimeout as sleep } from 'node:timers/promises';
import { clientPath } from './client-path.js';
import { RawSocket } from './raw-socket.js';

/**
 * The whole life of a connection: TCP connect, upgrade, greeting, subscription confirmed, closing handshake. Rejects
 * when any step fails; the connection is gone either way.
 * @param {import('./model.js').Server} server
 * @param {string} channel
 * @param {number} [staySeconds] between subscription and goodbye
 */
export async function shortLife(server, channel, staySeconds = 0) {
  const socket = new RawSocket(server, clientPath(server));
  try {
    await socket.open();
    await socket.subscribe(channel);
    if (staySeconds > 0) await sleep(staySeconds * 1000);
    await socket.end();
  } finally {
    if (!socket.socket.destroyed) socket.drop();
  }
}
