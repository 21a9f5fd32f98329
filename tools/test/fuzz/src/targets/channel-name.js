import {
  Channels,
  clientPublishRefusal,
  patternCovers,
  refusalError,
  subscribeRefusal,
  takesClientEvents,
  userLimitRefusal,
} from '@carillon/channels';
import { APPS, GLOBALS } from '../apps.js';
import { must, mustEqual } from '../broken.js';
import { judgeName, reaches } from '../restate/channel-name.js';
import { splitFields, textOf } from '../text.js';
import { words } from '../words.js';

/** @typedef {import('@carillon/channels').SubscribableChannel} SubscribableChannel */
/** @typedef {import('@carillon/channels').ChannelRefusal} ChannelRefusal */
/** @typedef {import('../apps.js').AppCase} AppCase */
/** @typedef {import('../restate/channel-name.js').Use} Use */

const channels = new Channels(GLOBALS);
const USES = /** @type {const} */ ([1, 2, 'target']);
const MAX_NAMES = 3;

/** Fields: a name, judged for every app and every use, and names it may reach as a pattern. @type {import('../target.js').Target} */
export const channelName = {
  name: 'channel-name',
  tokens: words(`
    private- presence- cache- encrypted- private-encrypted-cache- presence-cache- [meta]
    #server-to-user- # #ada,bob chat: ns: room: closed: : * , ; @ = ada
  `),
  outcomes: [
    'public, public, public',
    'private, private, private',
    'presence_cache, presence_cache, presence_cache',
    'private_encrypted, private_encrypted, private_encrypted',
    'server_to_user, server_to_user, server_to_user',
    'wildcard_needs_v2, pattern, characters',
    'wildcard_needs_v2, wildcard_malformed, characters',
    'meta_needs_v2, meta, characters',
    'meta_needs_v2, meta_malformed, characters',
    'too_long, too_long, too_long',
    'pattern_mismatch, pattern_mismatch, pattern_mismatch',
    'user_limit_malformed, user_limit_malformed, public',
    'user_limit_not_allowed, user_limit_not_allowed, user_limit_not_allowed',
  ],
  growths: [
    { name: 'letters', piece: 'a' },
    { name: 'hashes', piece: '#' },
    { name: 'users', before: 'ns:a#', piece: 'u,', after: 'u' },
    { name: 'prefixes', piece: 'private-' },
    { name: 'metas', piece: '[meta]' },
    { name: 'stars', piece: '*' },
    { name: 'colons', piece: 'chat:' },
    { name: 'user ids', before: '#server-to-user-', piece: 'ä' },
  ],
  check(bytes) {
    const names = splitFields(bytes).slice(0, MAX_NAMES).map(textOf);
    const [first = '', ...others] = names;
    const outcomes = APPS.map((app) => {
      for (const other of others) checkReach(app, first, other);
      return USES.map((use) => checkName(app, first, use)).join(', ');
    });
    return outcomes.at(-1) ?? '';
  },
  reach(bytes) {
    const judge = new Channels(GLOBALS);
    const name = textOf(bytes);
    for (const app of APPS) for (const use of USES) ask(judge, app, name, use);
  },
};

/** @param {Channels} judge @param {AppCase} app @param {string} name @param {Use} use */
const ask = (judge, app, name, use) =>
  use === 'target' ? judge.publishTarget(app.app, name) : judge.subscription(app.app, name, use);

/** @param {AppCase} app @param {string} name @param {Use} use */
function checkName(app, name, use) {
  const found = ask(channels, app, name, use);
  const expected = judgeName(app, name, use);
  const subject = `${use} in the app with ${app.name}`;
  mustEqual(found.accepted, expected !== null, `acceptance as ${subject}`);
  must(ask(channels, app, name, use).accepted === found.accepted, 'what is remembered is what was judged');
  if (!found.accepted) return checkRefusal(found);
  mustEqual(found.name, name, 'name');
  mustEqual(found.form, expected?.form, `form as ${subject}`);
  mustEqual(found.kind, expected?.kind, `kind as ${subject}`);
  mustEqual(found.namespace?.name ?? null, expected?.namespace, `namespace as ${subject}`);
  const fresh = ask(new Channels(GLOBALS), app, name, use);
  must(fresh.accepted && fresh.form === found.form, 'another judge says the same');
  checkAccess(app, found, expected?.users ?? null);
  return found.form === 'ordinary' ? found.kind : found.form;
}

/** There is one object per reason. */
const checkedRefusals = new Set();

/** @param {ChannelRefusal} refusal */
function checkRefusal(refusal) {
  if (!checkedRefusals.has(refusal)) {
    mustEqual(refusal.frame, 'channel_refused', 'row of the refusal');
    mustEqual(refusalError(refusal).status, 400, 'status of the refusal');
    checkedRefusals.add(refusal);
  }
  return refusal.reason;
}

/** @param {AppCase} app @param {SubscribableChannel} channel @param {readonly string[] | null} users */
function checkAccess(app, channel, users) {
  const kind = channel.form === 'ordinary' ? channel.kind : '';
  const takes = ['private', 'private_cache', 'presence', 'presence_cache'].includes(kind);
  mustEqual(takesClientEvents(channel), takes, 'whether clients may publish');
  const open = app.namespaces.get(channel.namespace?.name ?? '')?.subscribe !== false;
  mustEqual(subscribeRefusal(channel) === null, open, 'whether clients may subscribe');
  mustEqual(clientPublishRefusal(channel) === null, open, 'whether the namespace lets clients publish');
  if (channel.form !== 'ordinary') return;
  mustEqual(channel.users === null, users === null, 'whether there is a list of users');
  mustEqual(userLimitRefusal(channel, null) === null, users === null, 'admission of nobody');
  for (const user of ['ada', '', '__proto__', ...(users ?? [])]) {
    mustEqual(
      userLimitRefusal(channel, user) === null,
      users?.includes(user) ?? true,
      `admission of ${user}`,
    );
  }
}

/** @param {AppCase} app @param {string} pattern @param {string} name */
function checkReach(app, pattern, name) {
  const from = channels.subscription(app.app, pattern, 2);
  const to = channels.publishTarget(app.app, name);
  if (!from.accepted || from.form !== 'pattern' || !to.accepted) return;
  mustEqual(patternCovers(from, to), reaches(app, pattern, name), 'whether the pattern reaches the channel');
}
