import { connect } from 'node:net';

/** Where a broker listens. */
export interface BrokerHost {
  readonly host: string;
  readonly port: number;
}

/** How long a host may take to say anything at all. */
const ANSWER_WITHIN_MS = 2000;
/** A host that answers so is there; what listened on it is not. */
const THERE = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** Ports of URLs whose scheme has one of its own; a URL that names it looks like one without a port. */
const SCHEME_PORTS: Readonly<Record<string, number>> = { 'ws:': 80, 'wss:': 443 };

/** Host and port of an address; null if it is not an address. `defaultPort` is the broker's, for all other schemes. */
export function hostOf(address: string, defaultPort: number): BrokerHost | null {
  const url = address.includes('://') ? address : `tcp://${address}`;
  if (!URL.canParse(url)) return null;
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === '' ? null : { host, port: Number(port || (SCHEME_PORTS[protocol] ?? defaultPort)) };
}

/**
 * Whether the way to the broker's hosts is open although the broker does not serve: then it is away for everybody. A
 * host that says nothing, not even that nothing listens there, may be out of reach for this process alone.
 */
export async function someHostAnswers(hosts: readonly BrokerHost[]): Promise<boolean> {
  const answers = await Promise.all(hosts.map((host) => answersOf(host)));
  return answers.includes(true);
}

function answersOf({ host, port }: BrokerHost): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_WITHIN_MS });
    const settle = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(THERE.has(error.code ?? '')));
  });
}
