import { inString } from './in-string.js';
import type { OutboundFrame } from './frame.js';

/** One user of a presence channel. */
export interface PresenceMember {
  readonly userId: string;
  /** Presence data as JSON text, passed on unchanged. */
  readonly userInfoText: string;
  /** Connection by which the user joined. Absent: not included. */
  readonly socketId?: string;
}

/** A user has come; for every other subscriber. */
export function memberAdded(channel: string, { userId, userInfoText }: PresenceMember): OutboundFrame {
  const data = `{"user_id":${JSON.stringify(userId)},"user_info":${userInfoText}}`;
  return { event: 'service_internal:member_added', channel, dataText: inString(data) };
}

/** A user has gone; for the remaining subscribers. */
export function memberRemoved(channel: string, userId: string): OutboundFrame {
  const data = JSON.stringify({ user_id: userId });
  return { event: 'service_internal:member_removed', channel, dataText: inString(data) };
}

/** Written by hand, because an object would reorder ids that look like numbers and mistake one named `__proto__`. */
export function rosterText(members: readonly PresenceMember[]): string {
  const ids: string[] = [];
  const hash: string[] = [];
  for (const { userId, userInfoText } of members) {
    const id = JSON.stringify(userId);
    ids.push(id);
    hash.push(`${id}:${userInfoText}`);
  }
  return `{"ids":[${ids.join(',')}],"hash":{${hash.join(',')}},"count":${members.length}}`;
}
