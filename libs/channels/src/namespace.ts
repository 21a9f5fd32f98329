import type { ChannelNamespace } from '@carillon/config';
import { logicalName } from './channel-kind.js';

/** The logical name without its `#…` suffix: what namespaces and their patterns look at. */
export function baseOf(name: string): string {
  const logical = logicalName(name);
  const hash = logical.indexOf('#');
  return hash === -1 ? logical : logical.slice(0, hash);
}

/** Text before the first `:` of the base, possibly empty; null when there is no `:`. Says nothing about validity. */
export function namespaceName(name: string): string | null {
  const base = baseOf(name);
  const colon = base.indexOf(':');
  return colon === -1 ? null : base.slice(0, colon);
}

/**
 * The namespace a channel is in. `none`: the rules of the app alone apply. `rejected`: the name has a `:` and what
 * stands before the first one is no namespace of the app, also when the app has none at all or it is empty.
 */
export function findNamespace(
  namespaces: ReadonlyMap<string, ChannelNamespace>,
  name: string,
): ChannelNamespace | 'none' | 'rejected' {
  const wanted = namespaceName(name);
  if (wanted === null) return 'none';
  return namespaces.get(wanted) ?? 'rejected';
}
