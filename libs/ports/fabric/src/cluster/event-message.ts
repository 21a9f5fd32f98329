import type { Broadcast, BroadcastBody } from '@carillon/contract';
import type { LiveEvent, Standing } from '../live-event.js';

/** An event as other nodes are sent it. Members without a value are not written. */
export const bodyOf = (event: LiveEvent, nodeId: string): BroadcastBody => ({
  message_id: event.messageId,
  node_id: nodeId,
  app_id: event.appId,
  channel: event.channel,
  message: event.frameText,
  except_socket_id: event.exceptSocketId ?? undefined,
  timestamp_ms: event.publishedAtMs,
  standing: event.standing === undefined ? undefined : standingField(event.standing),
  unique_for_ms: event.uniqueForMs,
});

/** An event that another node sent. One without a time is taken for new. */
export const eventOf = (message: Broadcast): LiveEvent => ({
  messageId: message.message_id,
  appId: message.app_id,
  channel: message.channel,
  frameText: message.message,
  exceptSocketId: message.except_socket_id ?? null,
  publishedAtMs: message.timestamp_ms ?? Date.now(),
  ...(message.standing === undefined ? {} : { standing: standingOf(message.standing) }),
  ...(message.unique_for_ms === undefined ? {} : { uniqueForMs: message.unique_for_ms }),
});

type StandingField = NonNullable<Broadcast['standing']>;

const standingField = ({ userId, isPresent, serial }: Standing): StandingField => ({
  ...(userId === null ? {} : { user_id: userId }),
  present: isPresent,
  serial,
});

const standingOf = ({ user_id, present, serial }: StandingField): Standing => ({
  userId: user_id ?? null,
  isPresent: present,
  serial,
});
