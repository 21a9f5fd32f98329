import type { ChannelNamespace } from '@carillon/config';
import { logicalName } from './channel-kind.js';

/** Logical name without its `#…` suffix, to which namespaces and their patterns apply. */
export function baseOf(name: string): string {
  const logical = logicalName(name);
  const hash = logical.indexOf('#');
  return hash === -1 ? logical : logical.slice(0, hash);
}

/** Text before the first `:` of the base, possibly empty; null without a `:`. Implies no validity. */
export function namespaceName(name: string): string | null {
  const base = baseOf(name);
  const colon = base.indexOf(':');
  return colon === -1 ? null : base.slice(0, colon);
}

/**
 * Namespace of a channel. `none`: only the rules of the app apply. `rejected`: the text before the first `:` is no
 * namespace of the app, also if the app has none or the text is empty.
 */
export function findNamespace(
  namespaces: ReadonlyMap<string, ChannelNamespace>,
  name: string,
): ChannelNamespace | 'none' | 'rejected' {
  const wanted = namespaceName(name);
  if (wanted === null) return 'none';
  return namespaces.get(wanted) ?? 'rejected';
}
