import type { SocketConstructor } from '@carillon/client';
import { WebSocket } from 'ws';

/** Notified of the sockets of a client. */
export interface SocketObserver {
  /** A text frame as it was received. */
  frame?(text: string): void;
  /** Why a socket failed: an error of the network, or the status of a refused upgrade. */
  failed(failure: { readonly error: Error; readonly status: number | null }): void;
}

const HANDSHAKE_MS = 10_000;

/** The WebSocket of the package `ws`, which tells why a connection failed; that of browsers does not. */
export function observedSocket(observer: SocketObserver): SocketConstructor {
  return class extends WebSocket {
    constructor(url: string) {
      super(url, { handshakeTimeout: HANDSHAKE_MS });
      this.on('error', (error) => observer.failed({ error, status: null }));
      this.on('unexpected-response', (request, response) => {
        const error = new Error(`the service refused the connection with HTTP ${response.statusCode ?? 0}`);
        observer.failed({ error, status: response.statusCode ?? null });
        request.destroy();
        this.terminate();
      });
      if (observer.frame !== undefined) {
        this.on('message', (data: Buffer, isBinary: boolean) => {
          if (!isBinary) observer.frame?.(data.toString());
        });
      }
    }
  };
}
