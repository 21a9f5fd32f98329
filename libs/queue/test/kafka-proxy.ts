import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { SeverableWay } from './severable.js';

const LENGTH_BYTES = 4;

/** The advertised address of a broker, as responses carry it: string length, host, port. */
function advertised(host: string, port: number): Buffer {
  const text = Buffer.from(host);
  const bytes = Buffer.alloc(2 + text.length + 4);
  bytes.writeInt16BE(text.length, 0);
  text.copy(bytes, 2);
  bytes.writeInt32BE(port, 2 + text.length);
  return bytes;
}

/** Collects the length-prefixed responses of a stream and replaces the broker's address in each. */
function rewriting(from: Buffer, to: Buffer, write: (response: Buffer) => void): (chunk: Buffer) => void {
  let pending = Buffer.alloc(0);
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + pending.readInt32BE(0);
      if (pending.length < end) return;
      const response = Buffer.from(pending.subarray(0, end));
      for (let at = response.indexOf(from); at !== -1; at = response.indexOf(from, at + 1))
        to.copy(response, at);
      write(response);
      pending = pending.subarray(end);
    }
  };
}

/**
 * A severable connection to a single Kafka broker. Clients connect to the addresses that brokers advertise, so the proxy
 * advertises its own.
 */
export async function severableKafka(target: { host: string; port: number }): Promise<SeverableWay> {
  const open = new Set<Socket>();
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  };
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [from, to] = [advertised(target.host, target.port), advertised('127.0.0.1', port)];
  server.on('connection', (near) => {
    const far = connect(target);
    for (const socket of [near, far]) keep(socket);
    near.pipe(far);
    far.on(
      'data',
      rewriting(from, to, (response) => near.write(response)),
    );
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  const sever = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  onTestFinished(sever);
  return { host: '127.0.0.1', port, sever };
}
