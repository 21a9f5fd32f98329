import {
  encodeV1,
  memberAdded,
  memberRemoved,
  presenceSubscriptionSucceeded,
  readChannelData,
  readUserData,
  signinSuccess,
} from '@carillon/protocol';
import { readSigninCapabilities } from '@carillon/auth';
import { must, mustEqual } from '../broken.js';
import { covers, grantsOfSignin } from '../restate/capability.js';
import { expectedInfo, expectedMemberId, expectedUser } from '../restate/identity.js';
import { sameJson } from '../restate/json.js';
import { textOf } from '../text.js';
import { words } from '../words.js';

/** What a client says about its user: `user_data` of a sign-in and `channel_data` of a presence channel, both read. */
/** @type {import('../target.js').Target} */
export const identity = {
  name: 'identity',
  tokens: [
    ...words(`
    "id" "user_id" "user_info" "watchlist" "capabilities" "u-17" subscribe message_update_own
    {"a":1} ["u-20","u-17"] 0 -0 1e3 9007199254740993 "__proto__" room:*
  `),
    '"u\\u0073er_info"',
  ],
  outcomes: [
    'no user; no member',
    'no user; member by string',
    'no user; member by number',
    'user without capabilities; no member',
    'user with capabilities; no member',
    'user capability names an unknown operation; no member',
  ],
  growths: [
    { name: 'watchlist', before: '{"id":"a","watchlist":["a"', piece: ',"b"', after: ']}' },
    { name: 'info', before: '{"user_id":"a","user_info":', piece: '[', after: '' },
    { name: 'infos', before: '{"user_id":"a"', piece: ',"user_info":{}', after: '}' },
    { name: 'digits', before: '{"user_id":', piece: '9', after: '}' },
    {
      name: 'capabilities',
      before: '{"id":"a","capabilities":{"subscribe":["a"',
      piece: ',"a*"',
      after: ']}}',
    },
    {
      name: 'capability names',
      before: '{"id":"a","capabilities":{"history":[]',
      piece: ',"subscribe":["a"]',
      after: '}}',
    },
    { name: 'underscores', before: '{"id":"a","capabilities":{"', piece: '_', after: '":[]}}' },
  ],
  check(bytes) {
    const text = textOf(bytes);
    return `${checkUser(text)}; ${checkMember(text)}`;
  },
  reach(bytes) {
    const text = textOf(bytes);
    readSigninCapabilities(readUserData(text)?.capabilities);
    const member = readChannelData(text);
    if (member !== null) encodeV1(presenceSubscriptionSucceeded('presence-a', [member]));
  },
};

/** @param {string} text */
function checkUser(text) {
  const expected = expectedUser(text);
  const user = readUserData(text);
  mustEqual(user === null, expected === null, 'whether there is a user');
  if (user === null || expected === null) return 'no user';
  const { id, watchlist, capabilities } = user;
  must(sameJson({ id, watchlist, capabilities }, expected), 'a sign-in says what it says');
  checkInfo(user.userInfoText, text);
  const answer = JSON.parse(encodeV1(signinSuccess(text)));
  mustEqual(answer.data.user_data, text, 'user data of the answer');
  return `user ${checkCapabilities(capabilities)}`;
}

/** @param {unknown} value */
function checkCapabilities(value) {
  const read = readSigninCapabilities(value);
  if (value === undefined) {
    must(read.ok, 'none are readable');
    return 'without capabilities';
  }
  const grants = grantsOfSignin(value);
  mustEqual(read.ok, grants !== null, 'whether capabilities are readable');
  if (!read.ok) return read.reason;
  for (const name of ['room:5', 'other', '', '*']) {
    const listed = grants?.get('subscribe');
    const allowed = listed?.some((pattern) => covers(pattern, name)) ?? true;
    mustEqual(
      read.capabilities.allows('subscribe', name),
      allowed,
      `whether subscribe is allowed on ${name}`,
    );
    mustEqual(
      read.capabilities.grants('subscribe', name),
      allowed && listed !== undefined,
      'an explicit grant',
    );
  }
  return 'with capabilities';
}

/** @param {string} text */
function checkMember(text) {
  const expected = expectedMemberId(text);
  const member = readChannelData(text);
  mustEqual(member === null, expected === null, 'whether there is a member');
  if (member === null) return 'no member';
  checkMemberId(member.userId, expected);
  checkInfo(member.userInfoText, text);
  checkMemberFrames(member);
  return `member by ${typeof expected}`;
}

/** @param {string} userId @param {string | number | null} given */
function checkMemberId(userId, given) {
  if (typeof given === 'string') return mustEqual(userId, given, 'user id');
  mustEqual(Number(userId), given === 0 ? 0 : given, 'number of the user');
  if (Number.isInteger(given)) must(/^(0|-?[1-9]\d*)$/.test(userId), `${userId} is a decimal number`);
}

/** @param {import('@carillon/protocol').PresenceMember} member */
function checkMemberFrames(member) {
  const { userId, userInfoText } = member;
  const info = JSON.parse(userInfoText);
  const added = JSON.parse(JSON.parse(encodeV1(memberAdded('presence-a', member))).data);
  must(sameJson(added, { user_id: userId, user_info: info }), 'member_added says who came');
  const removed = JSON.parse(JSON.parse(encodeV1(memberRemoved('presence-a', userId))).data);
  must(sameJson(removed, { user_id: userId }), 'member_removed says who went');
  const other = { userId: `${userId}-2`, userInfoText: '{}' };
  const roster = encodeV1(presenceSubscriptionSucceeded('presence-a', [member, other]));
  const { ids, hash, count } = JSON.parse(JSON.parse(roster).data).presence;
  must(sameJson(ids, [userId, other.userId]) && count === 2, 'the roster lists everyone in order');
  must(Object.hasOwn(hash, userId) && sameJson(hash[userId], info), 'the roster holds what each said');
}

/** @param {string} infoText @param {string} text */
function checkInfo(infoText, text) {
  must(infoText === '{}' || text.includes(infoText), 'user info is sent on as written');
  must(sameJson(JSON.parse(infoText), expectedInfo(text)), 'user info says what it says');
}
