import type { LiveEvent } from '@carillon/broker';

/** A message of a plain channel. */
export const liveEvent = (appId: string, channel: string, eventId: string): LiveEvent => ({
  eventId,
  appId,
  channel,
  fact: {
    kind: 'message',
    channel,
    event: 'e',
    name: null,
    dataText: '"{}"',
    userId: null,
    messageId: eventId,
    tagsText: null,
    extrasText: null,
    streamId: null,
    serial: null,
    action: 'plain',
    isFromClient: false,
    mayBeDelta: true,
  },
  exceptSocketId: null,
  publishedAtMs: Date.now(),
});
