import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps the connections of a server at a number: for one more, the one that has been idle longest goes, so that silent
 * ones keep nobody out. Where none is idle, all of them being answered, the new one goes.
 */
export class IdleConnections {
  /** In the order they became idle. */
  readonly #idle = new Set<Socket>();
  #open = 0;

  constructor(server: Server, most: number) {
    server.on('connection', (socket) => {
      this.#open += 1;
      socket.once('close', () => {
        this.#open -= 1;
        this.#idle.delete(socket);
      });
      if (this.#open > most) this.#makeRoom(socket);
      if (!socket.destroyed) this.#idle.add(socket);
    });
    server.on('request', ({ socket }, response) => {
      this.#idle.delete(socket);
      response.once('close', () => {
        if (!socket.destroyed) this.#idle.add(socket);
      });
    });
  }

  #makeRoom(newest: Socket): void {
    const [oldest = newest] = this.#idle;
    oldest.destroy();
    this.#idle.delete(oldest);
  }
}
