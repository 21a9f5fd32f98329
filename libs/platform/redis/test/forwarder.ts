import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { CERTIFICATE, PRIVATE_KEY } from './tls-fixture.js';

export interface Forwarder {
  readonly port: number;
  readonly url: string;
  /** Cuts the next connection that brings an answer, instead of handing the answer on. */
  loseNextAnswer(): void;
  close(): Promise<void>;
}

interface Destination {
  readonly host: string;
  readonly port: number;
}

/** A door of its own to a server, plain or encrypted with the certificate of these tests. */
export async function forwardTo(destination: Destination, { tls = false } = {}): Promise<Forwarder> {
  let lose = false;
  const sockets = new Set<Socket>();
  const accept = (client: Socket): void => {
    const server = connect(destination);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.pipe(server);
    server.on('data', (answer) => {
      if (!lose) {
        client.write(answer);
        return;
      }
      lose = false;
      client.destroy();
    });
  };
  const listener: Server = tls
    ? createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, accept)
    : createServer(accept);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    url: `${tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
    loseNextAnswer: () => {
      lose = true;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
