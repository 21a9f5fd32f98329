import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A route to a broker that a test can cut. */
export interface SeverableWay {
  readonly host: string;
  readonly port: number;
  /** Cuts the route. */
  sever(): void;
}

export async function severableWay(target: { host: string; port: number }): Promise<SeverableWay> {
  const open = new Set<Socket>();
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  };
  const server = createServer((near) => {
    const far = connect(target);
    for (const socket of [near, far]) keep(socket);
    near.pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sever = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  onTestFinished(sever);
  return { host: '127.0.0.1', port, sever };
}
