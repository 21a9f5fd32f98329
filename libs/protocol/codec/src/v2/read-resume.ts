import { isJsonObject, memberOf, type JsonObject } from '../json/parse-object.js';
import { readSerial } from './read-serial.js';
import { type InboundFrameV2 } from './requests.js';
import { malformedV2 } from './malformed.js';
import type { ResumePosition } from './resume-position.js';

/** Channels in one request. */
const MAX_CHANNELS = 1000;

/** Reads the `data` of a resume. */
export function readResume(data: JsonObject | null): InboundFrameV2 {
  if (data === null) return malformedV2('resume', 'data must be an object', null);
  const given = memberOf(data, 'channel_positions') ?? memberOf(data, 'channel_serials');
  if (!isJsonObject(given)) return malformedV2('resume', 'data.channel_positions must be an object', null);
  const entries = Object.entries(given);
  if (entries.length === 0) return malformedV2('resume', 'no position is given', null, 'too_many_entries');
  if (entries.length > MAX_CHANNELS) {
    return malformedV2('resume', `more than ${MAX_CHANNELS} channels`, null, 'too_many_entries');
  }
  const positions = new Map<string, ResumePosition>();
  for (const [channel, value] of entries) {
    const position = positionOf(value);
    if (position === undefined) return malformedV2('resume', 'a position cannot be read', channel);
    positions.set(channel, position);
  }
  return { kind: 'resume', positions };
}

function positionOf(value: unknown): ResumePosition | undefined {
  if (!isJsonObject(value)) {
    const serial = readSerial(value);
    return serial === undefined ? undefined : { streamId: null, serial, lastMessageId: null };
  }
  const serial = readSerial(memberOf(value, 'serial'));
  const streamId = memberOf(value, 'stream_id') ?? null;
  const lastMessageId = memberOf(value, 'last_message_id') ?? null;
  if (serial === undefined || !isTextOrNull(streamId) || !isTextOrNull(lastMessageId)) return undefined;
  return { streamId, serial, lastMessageId };
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';
