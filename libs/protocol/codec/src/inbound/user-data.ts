import { memberOf, parseJsonObject } from '../json/parse-object.js';
import { rawMember } from '../json/raw-member.js';
import { isUserId } from '../user-id.js';
import { userInfoText } from './channel-data.js';

/** User data of a sign-in. */
export interface UserData {
  readonly id: string;
  /**
   * Watched users: each once, without itself and without impossible ids. Not limited here, so that the refusal can
   * name the number.
   */
  readonly watchlist: readonly string[];
  /** JSON text as written. */
  readonly userInfoText: string;
  /** JSON text as written, kept with the connection. Null: none. */
  readonly metaText: string | null;
  /** Parsed, to be validated as capabilities. Undefined: the user has no restriction. */
  readonly capabilities: unknown;
}

/** Reads the `user_data` of a sign-in; null when it is unreadable or has no id. */
export function readUserData(userData: string): UserData | null {
  const members = parseJsonObject(userData);
  if (members === null) return null;
  const id = memberOf(members, 'id');
  if (typeof id !== 'string' || !isUserId(id)) return null;
  return {
    id,
    watchlist: watchlistOf(memberOf(members, 'watchlist'), id),
    userInfoText: userInfoText(members, userData),
    metaText: memberOf(members, 'meta') === undefined ? null : rawMember(userData, 'meta'),
    capabilities: memberOf(members, 'capabilities'),
  };
}

function watchlistOf(value: unknown, self: string): readonly string[] {
  if (!Array.isArray(value)) return [];
  const watched = value.filter(
    (one): one is string => typeof one === 'string' && isUserId(one) && one !== self,
  );
  return [...new Set(watched)];
}
