import { isIP } from 'node:net';

/** Where a server is. */
export interface Place {
  /** With its port, if it has one of its own. */
  readonly host: string;
  /** Whose certificate it shows; null: that of its host. */
  readonly name: string | null;
}

/** Of a larger cluster the others are not known. */
const MAX_OTHERS = 64;

export const placeOf = (host: string): Place => ({ host, name: null });

/** The name or number of a host, without its port. Null: it is none. */
export function hostnameOf(host: string): string | null {
  const url = `nats://${host}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') || null : null;
}

/**
 * Where the rest of its cluster is, as the server at this place tells it. Servers tell each other's numbers, and
 * certificates are for names: one that is told by number has to show the certificate of who told it.
 */
export function othersOf(teller: Place, hosts: readonly unknown[]): readonly Place[] {
  const name = nameOf(teller);
  return hosts.slice(0, MAX_OTHERS).flatMap((host) => {
    const hostname = typeof host === 'string' ? hostnameOf(host) : null;
    if (typeof host !== 'string' || hostname === null || host === teller.host) return [];
    return [{ host, name: isIP(hostname) === 0 ? null : name }];
  });
}

/** Null: only its number is known. */
function nameOf({ host, name }: Place): string | null {
  const hostname = hostnameOf(host);
  return name ?? (hostname === null || isIP(hostname) !== 0 ? null : hostname);
}

/**
 * Whom to try, one after another: all of the settings in any order, then one of the others, another one each time.
 * There may be many, and each may take its time to be silent.
 */
export function toTry(settings: readonly Place[], others: readonly Place[]): readonly Place[] {
  const known = new Set(settings.map(({ host }) => host));
  const [other] = shuffled(others.filter(({ host }) => !known.has(host)));
  return [...shuffled(settings), ...(other === undefined ? [] : [other])];
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
