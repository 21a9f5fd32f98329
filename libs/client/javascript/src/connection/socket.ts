/** The subset of the WebSocket API used by the client, as provided by browsers, Node and the package `ws`. */
export interface SocketLike {
  binaryType: string;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
  addEventListener(type: 'error', listener: () => void): void;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
}

/** Opens a WebSocket. */
export type SocketConstructor = new (url: string) => SocketLike;

/** The runtime's own; undefined: it has none, as Node 20. */
export const ownSocket = (): SocketConstructor | undefined =>
  (globalThis as { WebSocket?: unknown }).WebSocket as SocketConstructor | undefined;
