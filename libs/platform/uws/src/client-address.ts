import { isIPv6 } from 'node:net';
import { networkOf, normalizeAddress } from './ip-address.js';

/** Request headers relevant for the client address. */
export interface ForwardingHeaders {
  readonly 'x-forwarded-for'?: string | undefined;
  readonly 'x-real-ip'?: string | undefined;
}

/** The entry of the list that the outermost of `trustHops` trusted proxies wrote, the first when shorter. */
function forwarded(list: string, trustHops: number): string | null {
  const entries = list.split(',');
  const entry = entries[Math.max(0, entries.length - trustHops)];
  return entry === undefined ? null : normalizeAddress(entry.trim());
}

/**
 * Returns the normalised client address. Without trusted hops only the peer counts; with them the forwarding headers,
 * then `X-Real-IP`, then the peer. Null if there is none: a Unix socket without headers.
 */
export function clientAddress(peer: string, headers: ForwardingHeaders, trustHops: number): string | null {
  const direct = normalizeAddress(peer);
  if (trustHops <= 0) return direct;
  const list = headers['x-forwarded-for'];
  const real = headers['x-real-ip'];
  return (
    (list === undefined ? null : forwarded(list, trustHops)) ??
    (real === undefined ? null : normalizeAddress(real.trim())) ??
    direct
  );
}

/** Key of a rate limit: an IPv4 address, the /64 of an IPv6 address, or the shared `unknown_ip`. */
export function rateLimitSubject(address: string | null): string {
  if (address === null) return 'unknown_ip';
  return isIPv6(address) ? networkOf(address) : address;
}
