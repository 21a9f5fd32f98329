import { memberOf, parseJsonObject, type JsonObject } from '../json/parse-object.js';
import { omitMembers } from '../json/omit-members.js';
import { rawMember } from '../json/raw-member.js';
import { type InboundFrameV2 } from './requests.js';
import { malformedV2 } from './malformed.js';

const CHANNEL: ReadonlySet<string> = new Set(['channel']);

/**
 * Reads a presence update in any of its forms: the channel is `data.channel`, else the frame's; the presence data is
 * `data.data`, else `data.user_info`, else `data` itself without `channel`.
 */
export function readPresenceUpdate(dataText: string | null, frameChannel: string | null): InboundFrameV2 {
  const data = dataText === null ? null : parseJsonObject(dataText);
  const named = data === null ? undefined : memberOf(data, 'channel');
  const channel = typeof named === 'string' ? named : frameChannel;
  if (data === null || dataText === null) return refused('data must be an object', channel);
  if (channel === null) return refused('data.channel must be a string', null);
  const userInfoText = saidText(data, dataText);
  if (userInfoText === null) return refused('data.data is missing', channel);
  return { kind: 'presence-update', channel, userInfoText };
}

function saidText(data: JsonObject, dataText: string): string | null {
  for (const name of ['data', 'user_info']) {
    if (memberOf(data, name) !== undefined) return rawMember(dataText, name);
  }
  return omitMembers(dataText, CHANNEL);
}

const refused = (message: string, channel: string | null): InboundFrameV2 =>
  malformedV2('presence_update', message, channel, 'presence_update_refused');
