import { extrasToWire } from './extras.js';
import { sortedTags, type FrameV2 } from './frame.js';
import type { WireNames } from './wire-names.js';

const given = (text: string | null | undefined): text is string => text !== undefined && text !== null;

/**
 * The text of a frame on a protocol 2 connection of format JSON. Differences between messages depend on the order of
 * the members.
 */
export function encodeJsonV2(frame: FrameV2, names: WireNames): string {
  const { event, channel, dataText, dataBytes, name, userId, tagsText, messageId, streamId, serial } = frame;
  let text = `{"event":${JSON.stringify(names.toWire(event))}`;
  if (channel !== undefined) text += `,"channel":${JSON.stringify(channel)}`;
  if (dataBytes !== undefined && dataBytes !== null) text += `,"data":[${dataBytes.join(',')}]`;
  else if (given(dataText)) text += `,"data":${dataText}`;
  if (given(name)) text += `,"name":${JSON.stringify(name)}`;
  if (given(userId)) text += `,"user_id":${JSON.stringify(userId)}`;
  if (given(tagsText)) text += tagsMember(tagsText);
  if (given(messageId)) text += `,"message_id":${JSON.stringify(messageId)}`;
  if (given(streamId)) text += `,"stream_id":${JSON.stringify(streamId)}`;
  if (serial !== undefined && serial !== null) text += `,"serial":${serial}`;
  if (given(frame.extrasText)) text += `,"extras":${extrasToWire(frame.extrasText, names)}`;
  return `${text}}`;
}

function tagsMember(tagsText: string): string {
  const tags = sortedTags(tagsText);
  if (tags.length === 0) return '';
  return `,"tags":{${tags.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

/** A full message of which differences will be sent: its sequence and group must be the last members. */
export function withDeltaMembers(frameText: string, sequence: number, group: string): string {
  const key = group === '' ? '' : `,"__conflation_key":"${group}"`;
  return `${frameText.slice(0, -1)},"__delta_seq":${sequence}${key}}`;
}
