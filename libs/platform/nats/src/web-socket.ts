import type { WsSocketFactory } from '@nats-io/transport-node';
import { WebSocket } from 'ws';

/** Opens the client's WebSocket; Node 20 has none of its own. */
export const webSocket: WsSocketFactory = (url) =>
  Promise.resolve({
    socket: new WebSocket(url) as unknown as globalThis.WebSocket,
    encrypted: /^wss:/i.test(url),
  });
