import { extrasForReceivers, type Message } from '@carillon/protocol';
import type { Publication } from './publication.js';

/** Converts a publication into the protocol-independent message for subscribers. */
export const messageOf = (publication: Publication, messageId: string): Message => ({
  kind: 'message',
  channel: publication.channel,
  event: publication.event,
  name: null,
  dataText: publication.dataText,
  ...(publication.isBytes === true ? { isBytes: true } : {}),
  ...(publication.isJsonText === true ? { isJsonText: true } : {}),
  userId: publication.userId,
  messageId,
  tagsText: publication.tagsText,
  extrasText: extrasForReceivers(publication.extrasText),
  streamId: null,
  serial: null,
  action: 'plain',
  isFromClient: publication.isFromClient ?? false,
  mayBeDelta: publication.mayBeDelta ?? true,
});
