import { isObject, type JsonObject } from '@carillon/ably-core';
import { ACTION } from '../flags.js';
import type { EventForm, EventRequest } from './event-request.js';

/** The event options of one stream. */
export interface EventStyle extends Pick<EventRequest, 'hasHeartbeatEvents' | 'isEnveloped'> {
  readonly form: EventForm;
}

const BREAK = /\r\n|\r|\n/;

/** Everything of an event but its id. */
export interface EventBody {
  readonly type: 'error' | 'heartbeat' | 'message' | 'presence';
  readonly data: string;
  /** Reconnect delay for the client; absent: unchanged. */
  readonly retryMs?: number;
}

/** One event as text. `id` null: without one. */
export function encodeEvent(
  { form }: EventStyle,
  { type, data, retryMs }: EventBody,
  id: string | null,
): string {
  if (form === 'ndjson') return `${JSON.stringify({ ...(id === null ? {} : { id }), event: type, data })}\n`;
  const lines = data.split(BREAK).map((line) => `data: ${line}\n`);
  const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n`;
  return `${retry}${id === null ? '' : `id: ${id}\n`}event: ${type}\n${lines.join('')}\n`;
}

/** The start of a stream: no event, but the id to resume from. */
export const encodePrelude = ({ form }: EventStyle, id: string, retryMs: number): string =>
  form === 'ndjson' ? '\n' : `: connected\nretry: ${retryMs}\nid: ${id}\n\n`;

export function encodeHeartbeat(style: EventStyle): string {
  if (style.hasHeartbeatEvents) return encodeEvent(style, { type: 'heartbeat', data: '{}' }, null);
  return style.form === 'ndjson' ? '\n' : ':keepalive\n\n';
}

/** The events of a MESSAGE or PRESENCE frame. */
export function eventsOf(frame: JsonObject, isEnveloped: boolean): readonly EventBody[] {
  const type = frame['action'] === ACTION.message ? 'message' : 'presence';
  const items = frame[type === 'message' ? 'messages' : 'presence'];
  const { channel } = frame;
  return (Array.isArray(items) ? items : []).filter(isObject).map((item) => ({
    type,
    data: isEnveloped ? JSON.stringify({ ...item, channel }) : payloadOf(item['data']),
  }));
}

const payloadOf = (data: unknown): string =>
  typeof data === 'string' ? data : data === undefined ? '' : JSON.stringify(data);
