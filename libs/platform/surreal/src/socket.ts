import { WebSocket } from 'ws';

/** Equals the server's limit of one message. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

/** The socket of one connection, as the client library uses it. */
export interface WatchedSocket {
  readonly implementation: typeof globalThis.WebSocket;
  /** When the last message arrived, by the monotonic clock. */
  readonly heardAtMs: () => number;
  /** Closes it without waiting for the peer. */
  readonly terminate: () => void;
}

/** Node 20 has no `WebSocket` of its own; the library makes one instance for a connection. */
export function watchedSocket(handshakeTimeoutMs: number): WatchedSocket {
  const made: WebSocket[] = [];
  let heardAtMs = performance.now();

  class Socket extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols, { handshakeTimeout: handshakeTimeoutMs, maxPayload: MAX_MESSAGE_BYTES });
      made.push(this);
      this.on('message', () => {
        heardAtMs = performance.now();
      });
    }

    /** The library reports an undecodable message to its own socket. */
    dispatchEvent(): boolean {
      this.terminate();
      return true;
    }
  }

  return {
    implementation: Socket as unknown as typeof globalThis.WebSocket,
    heardAtMs: () => heardAtMs,
    terminate: () => made.forEach((socket) => socket.terminate()),
  };
}
