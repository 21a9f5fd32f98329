import type { SocketConstructor } from '@carillon/client';
import { WebSocket } from 'ws';

/** A client's way to the service, which can be cut and mended. */
export class Network {
  readonly #sockets = new Set<WebSocket>();
  #isCut = false;

  /** To be given to a client. */
  readonly WebSocket: SocketConstructor = this.#class();

  /** Without a word to anybody: what was on its way is lost. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.terminate();
    this.#sockets.clear();
  }

  mend(): void {
    this.#isCut = false;
  }

  #class(): SocketConstructor {
    const opened = (socket: WebSocket): void => {
      if (this.#isCut) throw new Error('The network is cut');
      this.#sockets.add(socket);
    };
    return class extends WebSocket {
      constructor(url: string) {
        super(url);
        this.on('error', () => undefined);
        try {
          opened(this);
        } catch (error) {
          this.terminate();
          throw error;
        }
      }
    };
  }
}
