import { createServer, type AddressInfo } from 'node:net';

/** A TCP port of 127.0.0.1 that was free a moment ago; prefer port 0 where the real port can be asked for. */
export function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => found(port));
    });
  });
}
