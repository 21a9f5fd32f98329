import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits the connections of a server: a new one replaces the longest idle one, so that silent clients do not exclude others.
 * If none is idle, the new one is closed.
 */
export function boundConnections(server: Server, most: number): void {
  /** In the order they became idle. */
  const idle = new Set<Socket>();
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
      idle.delete(socket);
    });
    if (open > most) {
      const [oldest = socket] = idle;
      idle.delete(oldest);
      oldest.destroy();
    }
    if (!socket.destroyed) idle.add(socket);
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });
}
