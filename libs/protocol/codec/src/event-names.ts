/** Protocol of a connection, which it never changes: 1 speaks `pusher:`, 2 speaks `service:`. */
export type ProtocolVersion = 1 | 2;

/** `system` events control the connection, `internal` ones only the service may send. */
export type ReservedKind = 'system' | 'internal';

interface Spelling {
  readonly prefix: string;
  readonly kind: ReservedKind;
  readonly protocol: ProtocolVersion;
}

const SPELLINGS: readonly Spelling[] = [
  { prefix: 'pusher:', kind: 'system', protocol: 1 },
  { prefix: 'pusher_internal:', kind: 'internal', protocol: 1 },
  { prefix: 'service:', kind: 'system', protocol: 2 },
  { prefix: 'service_internal:', kind: 'internal', protocol: 2 },
];

const PREFIXES: Readonly<Record<ProtocolVersion, Readonly<Record<ReservedKind, string>>>> = {
  1: { system: 'pusher:', internal: 'pusher_internal:' },
  2: { system: 'service:', internal: 'service_internal:' },
};

/** Whether a client made this event for other clients. */
export function isClientEvent(event: string): boolean {
  return event.startsWith('client-');
}

/** Whether this is an event of clients, or one of AI transport, some of which are. */
export function isSentByClients(event: string): boolean {
  return isClientEvent(event) || event.startsWith('ai-');
}

function spellingOf(event: string): Spelling | undefined {
  return SPELLINGS.find(({ prefix }) => event.startsWith(prefix));
}

/** The event without its reserved prefix, whichever protocol's it is; null when it has none. */
export function readReservedEvent(
  event: string,
): { readonly kind: ReservedKind; readonly name: string } | null {
  const spelling = spellingOf(event);
  return spelling === undefined ? null : { kind: spelling.kind, name: event.slice(spelling.prefix.length) };
}

/**
 * Returns the event in the spelling of this protocol. Only a reserved prefix changes; other events, and those spelled
 * correctly, are returned unchanged.
 */
export function eventForProtocol(event: string, protocol: ProtocolVersion): string {
  const spelling = spellingOf(event);
  if (spelling === undefined || spelling.protocol === protocol) return event;
  return PREFIXES[protocol][spelling.kind] + event.slice(spelling.prefix.length);
}
