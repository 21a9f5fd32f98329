import type { WebhookEntry, WebhookFilter } from '@carillon/config';

/** What a filter looks at. */
export interface FilteredEvent {
  readonly name: string;
  readonly channel: string;
}

/** The namespace a channel's name stands for, valid or not; null without one. */
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
