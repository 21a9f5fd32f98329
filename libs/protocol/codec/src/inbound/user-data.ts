import { memberOf, parseJsonObject } from '../json/parse-object.js';
import { rawMember } from '../json/raw-member.js';
import { isUserId } from '../user-id.js';
import { userInfoText } from './channel-data.js';

/** What a sign-in says about its user. */
export interface UserData {
  readonly id: string;
  /** Whom the user watches: each once, never itself, and nobody whose id no user can have. Not bounded here, so that the refusal can be told. */
  readonly watchlist: readonly string[];
  /** JSON text as written. */
  readonly userInfoText: string;
  /** JSON text as written, kept with the connection. Null: none. */
  readonly metaText: string | null;
  /** As parsed, to be judged by the rules of capabilities. Undefined: the user has no such restriction. */
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
