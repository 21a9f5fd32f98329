import { connect } from 'node:net';

/** Address on which a broker listens. */
export interface BrokerHost {
  readonly host: string;
  readonly port: number;
}

/** Limit of one reachability check of a host. */
const ANSWER_WITHIN_MS = 2000;
/** Errors that prove that the host is up, although nothing accepts the connection. */
const THERE = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** Default ports of URL schemes. `URL` omits a port that equals the default. */
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
 * Whether any host of the broker is reachable. If so, a broker that does not serve is down for every process; if no
 * host responds, the network of this process alone may be at fault.
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
