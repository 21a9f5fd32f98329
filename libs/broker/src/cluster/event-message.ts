import type { Broadcast, BroadcastBody } from '@carillon/contracts';
import { currentTrace } from '@carillon/tracing';
import { encodeMessageV2, type Message, readMessageV2, type StateFact } from '@carillon/protocol';
import type { LiveEvent } from '../live-event.js';

/** An event as other nodes are sent it. Members without a value are not written. */
export const bodyOf = ({ fact, ...event }: LiveEvent, nodeId: string): BroadcastBody => ({
  message_id: event.eventId,
  node_id: nodeId,
  app_id: event.appId,
  channel: event.channel,
  ...(fact.kind === 'message' ? messageFields(fact) : { message: '', fact: factField(fact) }),
  except_socket_id: event.exceptSocketId ?? undefined,
  timestamp_ms: event.publishedAtMs,
  unique_for_ms: event.uniqueForMs,
  trace: currentTrace(),
});

/** Decodes an event of another node. Without a time it counts as new. Null if its kind is unknown to this version. */
export function eventOf(broadcast: Broadcast): LiveEvent | null {
  const fact =
    broadcast.fact === undefined ? messageOf(broadcast) : factOf(broadcast.fact, broadcast.channel);
  if (fact === null) return null;
  return {
    eventId: broadcast.message_id,
    appId: broadcast.app_id,
    channel: broadcast.channel,
    fact,
    exceptSocketId: broadcast.except_socket_id ?? null,
    publishedAtMs: broadcast.timestamp_ms ?? Date.now(),
    ...(broadcast.unique_for_ms === undefined ? {} : { uniqueForMs: broadcast.unique_for_ms }),
  };
}

const FULL = { enabled: false };

const messageFields = (
  message: Message,
): Pick<BroadcastBody, 'action' | 'compression_metadata' | 'from_client' | 'message'> => ({
  message: encodeMessageV2(message),
  action: message.action === 'plain' ? undefined : message.action,
  from_client: message.isFromClient || undefined,
  compression_metadata: message.mayBeDelta ? undefined : FULL,
});

const messageOf = ({ message, action, from_client, compression_metadata }: Broadcast): Message | null =>
  readMessageV2(message, {
    action: action ?? 'plain',
    isFromClient: from_client === true,
    mayBeDelta: compression_metadata?.enabled !== false,
  });

type FactField = NonNullable<Broadcast['fact']>;

function factField(fact: StateFact): FactField {
  const { kind, serial } = fact;
  switch (fact.kind) {
    case 'member_added':
    case 'member_updated':
      return {
        kind,
        serial,
        user_id: fact.member.userId,
        user_info: fact.member.userInfoText,
        socket_id: fact.member.socketId || undefined,
        after: fact.kind === 'member_updated' ? fact.after : undefined,
      };
    case 'member_removed':
      return {
        kind,
        serial,
        user_id: fact.userId,
        user_info: fact.userInfoText,
        socket_id: fact.socketId || undefined,
        after: fact.after,
      };
    case 'channel_occupied':
    case 'channel_vacated':
      return { kind, serial };
    case 'channel_counted':
      return { kind, serial, count: fact.count };
    case 'user_seen':
    default:
      return { kind, serial, user_id: fact.userId, online: fact.isOnline };
  }
}

function factOf({ kind, serial, ...field }: FactField, channel: string): StateFact | null {
  const { user_id: userId, user_info: info, count, online: isOnline = false } = field;
  if (kind === 'channel_counted') return count === undefined ? null : { kind, channel, count, serial };
  if (kind === 'channel_occupied' || kind === 'channel_vacated') return { kind, channel, serial };
  if (userId === undefined) return null;
  if (kind === 'user_seen') return { kind, userId, isOnline, serial };
  const by = field.socket_id === undefined ? {} : { socketId: field.socket_id };
  // Processes of older versions omit the user data of the removed member.
  const said = info === undefined ? {} : { userInfoText: info };
  const after = field.after === undefined ? {} : { after: field.after };
  if (kind === 'member_removed') return { kind, channel, userId, ...said, ...by, ...after, serial };
  const member = { userId, userInfoText: info ?? '{}', ...by };
  return kind === 'member_updated'
    ? { kind, channel, member, ...after, serial }
    : { kind, channel, member, serial };
}
