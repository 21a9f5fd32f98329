import { freePort } from '@carillon/testing';

/** More than any test has nodes at one time. */
const COUNT = 8;
const taken = new Map<string, number>();

/** Addresses on which nothing listens, joined by commas. */
export async function newEndpoints(count = COUNT): Promise<string> {
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  return ports.map((port) => `tcp://127.0.0.1:${port}`).join(',');
}

/** The endpoint of the next node. */
export function nextEndpoint(endpoints: string): string {
  const all = endpoints.split(',');
  const at = taken.get(endpoints) ?? 0;
  taken.set(endpoints, at + 1);
  return all[at % all.length] ?? '';
}
