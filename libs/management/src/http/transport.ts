import { isIPv4 } from 'node:net';
import type { Config } from '@carillon/config';
import type { HttpRequest } from '@carillon/uws';
import type { CrossSiteRules } from '../auth/cross-site.js';
import type { Transport } from '../auth/cookies.js';

/** Whether an address is the machine itself. */
const isLoopback = (address: string | null): boolean =>
  address !== null && (address === '::1' || (isIPv4(address) && address.startsWith('127.')));

const originOf = (url: string | null): string | null => (url === null ? null : new URL(url).origin);

export function crossSiteRules({ management, ssl }: Pick<Config, 'management' | 'ssl'>): CrossSiteRules {
  return { publicOrigin: originOf(management.public_url), isTls: ssl.enabled };
}

/** How the browser reaches this request: over TLS of the listener or of the proxy that `public_url` names. */
export function transportOf(
  { ip, peer }: Pick<HttpRequest, 'ip' | 'peer'>,
  { management, ssl }: Pick<Config, 'management' | 'ssl'>,
): Transport {
  const isSecure = ssl.enabled || management.public_url?.toLowerCase().startsWith('https:') === true;
  // A proxy on this machine forwards requests of others: both ends have to be loopback.
  return { isSecure, isLoopback: isLoopback(ip) && (peer === '' || isLoopback(ip)) };
}
