import { guardedLookup } from '@carillon/http-client';
import { isEndpoint, isLoopback } from '../../endpoint.js';
import type { ProviderSettings } from '../../settings.js';
import type { WireOptions } from '../wire/exchange.js';

/** The world outside, as far as tests replace it. */
export interface Network {
  /** PEM of trusted certificate authorities; absent: those of the system. */
  readonly authorities?: string;
  /** Finds addresses of names that devices gave; absent: the system. */
  readonly resolve?: Parameters<typeof guardedLookup>[0];
}

export const INTERNET: Network = {};

/** Ways to servers that the operator or a provider named. */
export const trusted = ({ authorities }: Network): WireOptions => ({ authorities });

/** Ways to servers that devices named: only where every address of the name is public. */
export const guarded = ({ authorities, resolve }: Network, settings: ProviderSettings): WireOptions => ({
  authorities,
  ...(!settings.deviceUrls.allowLocal && { lookup: guardedLookup(resolve) }),
});

/** An endpoint of the operator is neither secured nor a trial on this machine. */
export class EndpointNotAllowed extends Error {
  override readonly name = 'EndpointNotAllowed';
}

/**
 * Returns the base URL of a provider without a trailing slash; it may have a path.
 * @throws EndpointNotAllowed
 */
export function providerBase(base: string, production: boolean): string {
  if (!isEndpoint(new URL(base), production))
    throw new EndpointNotAllowed('an endpoint of a provider must be https');
  return base.replace(/\/+$/, '');
}

/**
 * Returns the URL of the token service: the public one, unless the provider is replaced by a local stand-in, which
 * then issues tokens below its own URL. Never in production. A local token service URL is used as it is.
 */
export function tokenAddress(publicUrl: string, endpoint: string | null, production: boolean): URL {
  const { pathname, hostname } = new URL(publicUrl);
  const isReplaced = endpoint !== null && isLoopback(new URL(endpoint).hostname) && !isLoopback(hostname);
  if (!isReplaced || production) return new URL(publicUrl);
  return new URL(providerBase(endpoint, production) + pathname);
}
