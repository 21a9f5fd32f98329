import { createServer, type AddressInfo } from 'node:net';

/** The ports given last, which the system may offer again before anybody listens there. */
const given: number[] = [];
const MOST_GIVEN = 100;

/**
 * A TCP port of 127.0.0.1 that was free a moment ago, and is another than this process was given lately; prefer port 0
 * where the real port can be asked for.
 */
export async function freePort(): Promise<number> {
  const port = await offeredPort();
  if (given.includes(port)) return freePort();
  given.push(port);
  if (given.length > MOST_GIVEN) given.shift();
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
