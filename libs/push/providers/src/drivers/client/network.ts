import { guardedLookup } from '@carillon/http-client';
import { isEndpoint, isLoopback } from '../../endpoint.js';
import type { ProviderSettings } from '../../settings.js';
import type { WireOptions } from '../wire/exchange.js';

/** The world outside, as far as tests replace it. */
export interface Network {
  /** PEM of who may vouch for servers; absent: those of the system. */
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
 * Where a provider is, without a slash at the end: `base` may have a path.
 *
 * @throws EndpointNotAllowed
 */
export function providerBase(base: string, production: boolean): string {
  if (!isEndpoint(new URL(base), production))
    throw new EndpointNotAllowed('an endpoint of a provider must be https');
  return base.replace(/\/+$/, '');
}

/**
 * Where access tokens come from: the public service, unless the provider is replaced by something on this machine,
 * which then gives them too, below its own address. Never in production. A token service on this machine is itself meant.
 */
export function tokenAddress(publicUrl: string, endpoint: string | null, production: boolean): URL {
  const { pathname, hostname } = new URL(publicUrl);
  const isReplaced = endpoint !== null && isLoopback(new URL(endpoint).hostname) && !isLoopback(hostname);
  if (!isReplaced || production) return new URL(publicUrl);
  return new URL(providerBase(endpoint, production) + pathname);
}
