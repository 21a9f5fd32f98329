import { createServer, type AddressInfo } from 'node:net';

/** Ports returned recently, which the system may offer again before they are in use. */
const given: number[] = [];
const MAX_GIVEN = 100;

/**
 * Returns a TCP port of 127.0.0.1 that is free at the moment and was not returned recently; prefer port 0 where the
 * actual port can be queried.
 */
export async function freePort(): Promise<number> {
  const port = await offeredPort();
  if (given.includes(port)) return freePort();
  given.push(port);
  if (given.length > MAX_GIVEN) given.shift();
  return port;
}

function offeredPort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => found(port));
    });
  });
}
