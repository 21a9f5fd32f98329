import { memberOf, parseJsonObject } from '../json/parse-object.js';
import { rawMember } from '../json/raw-member.js';
import { isUserId } from '../user-id.js';
import type { PresenceMember } from '../outbound/presence.js';

const WHOLE_NUMBER = /^[1-9]\d*$/;

/** The member that the `channel_data` of a presence subscribe speaks for; null when it is unreadable or names none. */
export function readChannelData(channelData: string): PresenceMember | null {
  const members = parseJsonObject(channelData);
  if (members === null) return null;
  const userId = userIdText(memberOf(members, 'user_id'), channelData);
  return userId === null || !isUserId(userId)
    ? null
    : { userId, userInfoText: userInfoText(members, channelData) };
}

/** The text of `user_info` as written, of an object that was parsed from `text`. Absent: an empty object. */
export function userInfoText(members: Readonly<Record<string, unknown>>, text: string): string {
  const present = memberOf(members, 'user_info') !== undefined;
  return (present ? rawMember(text, 'user_info') : null) ?? '{}';
}

function userIdText(userId: unknown, text: string): string | null {
  if (typeof userId === 'string') return userId;
  if (typeof userId !== 'number' || !Number.isFinite(userId)) return null;
  // Ids beyond 2^53 keep their digits: two users must not become one.
  const written = rawMember(text, 'user_id') ?? '';
  if (WHOLE_NUMBER.test(written)) return written;
  return Number.isInteger(userId) ? BigInt(userId).toString() : String(userId);
}
