import type { WebhookEntry, WebhookFilter } from '@carillon/config';

/** Fields of an event used by filters. */
export interface FilteredEvent {
  readonly name: string;
  readonly channel: string;
}

/** Namespace of a channel name, valid or not; null if none. */
export type NamespaceOf = (channel: string) => string | null;

/** Whether the receiver lists the event and its filter lets the channel through. Linear in the channel's length. */
export function entryTakes(
  { event_types, filter }: WebhookEntry,
  { name, channel }: FilteredEvent,
  namespaceOf: NamespaceOf,
): boolean {
  return event_types.includes(name) && (filter === null || filterTakes(filter, channel, namespaceOf));
}

function filterTakes(filter: WebhookFilter, channel: string, namespaceOf: NamespaceOf): boolean {
  const { channel_prefix, channel_suffix, channel_pattern, channel_namespace, channel_namespaces } = filter;
  if (channel_prefix !== null && !channel.startsWith(channel_prefix)) return false;
  if (channel_suffix !== null && !channel.endsWith(channel_suffix)) return false;
  if (channel_pattern !== null && !channel_pattern.matches(channel)) return false;
  if (channel_namespace === null && channel_namespaces === null) return true;
  const namespace = namespaceOf(channel);
  if (channel_namespace !== null && namespace !== channel_namespace) return false;
  return channel_namespaces === null || (namespace !== null && channel_namespaces.includes(namespace));
}
