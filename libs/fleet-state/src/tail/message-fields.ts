import type { Message } from '@carillon/protocol';
import type { TraceFields } from './node-tail.js';
import { originOf } from './origin.js';

/** Members of a trace that describe a message. */
export const messageFields = (message: Message, socketId: string | null): TraceFields => ({
  channel: message.channel,
  event: message.name ?? message.event,
  message_id: message.messageId,
  origin: originOf(message, socketId),
  socket_id: socketId,
  user_id: message.userId,
});
