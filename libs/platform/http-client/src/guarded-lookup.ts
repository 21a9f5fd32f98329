import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './addresses.js';

/** The target is where requests may not go. */
export class TargetNotAllowed extends Error {
  override readonly name = 'TargetNotAllowed';
}

type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

/**
 * Resolves a host and accepts its addresses only if all are public. Connections are made to the addresses checked
 * here, so that a name cannot be rebound in between. Concurrent lookups of a host are coalesced: the system resolves
 * few names in parallel, and a hanging one must not block all.
 */
export function guardedLookup(resolve: Resolve = systemResolve): LookupFunction {
  const running = new Map<string, Promise<readonly LookupAddress[]>>();
  const find = (hostname: string): Promise<readonly LookupAddress[]> => {
    const known = running.get(hostname);
    if (known !== undefined) return known;
    const found = resolve(hostname).finally(() => running.delete(hostname));
    running.set(hostname, found);
    return found;
  };
  const publicOf = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const addresses = await find(hostname);
    if (addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))) return addresses;
    throw new TargetNotAllowed('the name leads to an address that is not public');
  };
  return (hostname, { all }, answer) => void answerWith(publicOf(hostname), all === true, answer);
}

async function answerWith(
  found: Promise<readonly LookupAddress[]>,
  all: boolean,
  answer: Parameters<LookupFunction>[2],
): Promise<void> {
  let addresses: readonly LookupAddress[];
  try {
    addresses = await found;
  } catch (error) {
    return answer(error instanceof Error ? error : new Error('lookup failed'), '');
  }
  const [first] = addresses;
  if (all || first === undefined) answer(null, [...addresses]);
  else answer(null, first.address, first.family);
}

/** Throws for a host that is itself an address and not a public one: such a host is never looked up. */
export function checkHost({ hostname }: URL): void {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (/^[\d.]+$|:/.test(host) && !isPublicAddress(host)) {
    throw new TargetNotAllowed('the address is not public');
  }
}
