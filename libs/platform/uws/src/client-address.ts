import { isIPv6 } from 'node:net';
import { networkOf, normalizeAddress } from './ip-address.js';

/** What is known of a request without touching its body. */
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
 * The address of the client, normalised. Without trusted hops only the peer counts; with them the forwarding
 * headers do, then `X-Real-IP`, then the peer. Null when there is none: a Unix socket and no header.
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

/** What a limiter counts under: an IPv4 address, the /64 of an IPv6 address, or the one shared `unknown_ip`. */
export function rateLimitSubject(address: string | null): string {
  if (address === null) return 'unknown_ip';
  return isIPv6(address) ? networkOf(address) : address;
}
