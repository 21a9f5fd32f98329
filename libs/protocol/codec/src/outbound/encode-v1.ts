import { eventForProtocol } from '../event-names.js';
import type { OutboundFrame } from './frame.js';

/** The text of a frame on a protocol 1 connection: `event`, `channel`, `data`, `user_id`, absent ones left out. */
export function encodeV1({ event, channel, dataText, userId }: OutboundFrame): string {
  let text = `{"event":${JSON.stringify(eventForProtocol(event, 1))}`;
  if (channel !== undefined) text += `,"channel":${JSON.stringify(channel)}`;
  if (dataText !== undefined && dataText !== null) text += `,"data":${dataText}`;
  if (userId !== undefined && userId !== null) text += `,"user_id":${JSON.stringify(userId)}`;
  return `${text}}`;
}
