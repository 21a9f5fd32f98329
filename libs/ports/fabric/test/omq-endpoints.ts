import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';

/** More than any test has nodes at one time. */
const COUNT = 8;
const taken = new Map<string, number>();

/** Addresses on which nothing listens, joined by commas. */
export async function newEndpoints(count = COUNT): Promise<string> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const endpoints = servers.map((server) => `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (const server of servers) server.close();
  await Promise.all(servers.map((server) => once(server, 'close')));
  return endpoints.join(',');
}

/** The endpoint of the next node. */
export function nextEndpoint(endpoints: string): string {
  const all = endpoints.split(',');
  const at = taken.get(endpoints) ?? 0;
  taken.set(endpoints, at + 1);
  return all[at % all.length] ?? '';
}
