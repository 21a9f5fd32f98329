import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { CERTIFICATE, PRIVATE_KEY } from './tls-fixture.js';

export interface ServerSettings {
  readonly info?: object;
  /** What it says first; absent: it greets with `info`. */
  readonly greeting?: string;
  readonly tls?: boolean;
  /** What it says to a client that has introduced itself. */
  readonly answer?: string;
}

/** A server that greets as NATS does, through TLS if it is told to, and notes what it is sent. */
export async function natsServer({ info = {}, greeting, tls = false, answer = 'PONG\r\n' }: ServerSettings) {
  const noted = { lines: [] as string[], open: 0 };
  const talking = new Set<Socket>();
  const context = createSecureContext({ key: PRIVATE_KEY, cert: CERTIFICATE });
  const talk = (socket: Socket): void => {
    talking.add(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      noted.lines.push(...bytes.toString().split('\r\n').slice(0, -1));
      if (bytes.includes('PING')) socket.write(answer);
    });
  };
  const server = createServer((socket) => {
    noted.open += 1;
    socket.on('close', () => (noted.open -= 1));
    socket.on('error', () => {});
    socket.write(greeting ?? `INFO ${JSON.stringify({ max_payload: 512, ...info })}\r\n`, () =>
      talk(tls ? new TLSSocket(socket, { isServer: true, secureContext: context }) : socket),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const say = (text: string): void => talking.forEach((socket) => socket.write(text));
  return { host, noted, say, [Symbol.asyncDispose]: async () => void server.close() };
}
