import {
  prepareSigningKey,
  signChannelAuth,
  signUserAuth,
  verifyChannelAuth,
  verifyUserAuth,
} from '@carillon/auth';
import { mustEqual } from '../broken.js';
import { signed, SOURCE } from '../restate/hmac.js';
import { fieldsOf } from '../text.js';
import { words } from '../words.js';

const key = prepareSigningKey(SOURCE);
const BARE = /^[0-9a-f]{64}$/;

/** Fields: socket id, channel (or `user`), data (`-`: none), auth; `$SIG` in it is the right signature. */
/** @type {import('../target.js').Target} */
export const socketAuth = {
  name: 'socket-auth',
  tokens: [
    ...words(`
    $SIG : - user presence- private- ::user:: 218734.4410928 $SIG$SIG {"user_id":"u-17"}
    {"id":"u-17"}
  `),
    `${SOURCE.key}:$SIG`,
    SOURCE.key,
    `${SOURCE.key}:`,
    ' ',
    '\n',
  ],
  outcomes: [
    'channel',
    'channel with data',
    'channel refused',
    'channel refused by what surrounds the signature',
    'user by bare signature',
    'user by key and signature',
    'user refused',
  ],
  growths: [
    { name: 'auth', before: '1.1␞private-a␞-␞', piece: 'a' },
    { name: 'colons', before: '1.1␞private-a␞-␞', piece: ':' },
    { name: 'data', before: '1.1␞presence-a␞', piece: 'ä', after: '␞k:$SIG' },
    { name: 'channel', before: '1.1␞', piece: 'a', after: '␞-␞k:$SIG' },
  ],
  check(bytes) {
    const [socketId = '', channel = '', data = '', given = ''] = fieldsOf(bytes, 4);
    return channel === 'user'
      ? checkUser(socketId, data, given)
      : checkChannel(socketId, channel, data, given);
  },
  reach(bytes) {
    const [socketId = '', channel = '', data = '', auth = ''] = fieldsOf(bytes, 4);
    verifyUserAuth(key, { socketId, userData: data }, auth);
    verifyChannelAuth(key, { socketId, channel, channelData: data }, auth);
  },
};

/** @param {string} socketId @param {string} userData @param {string} given */
function checkUser(socketId, userData, given) {
  const right = signed(`${socketId}::user::${userData}`);
  const auth = given.replaceAll('$SIG', right);
  const request = { socketId, userData };
  mustEqual(signUserAuth(key, request), `${SOURCE.key}:${right}`, 'signature of a user');
  const expected = auth === `${SOURCE.key}:${right}` || auth === right;
  mustEqual(verifyUserAuth(key, request, auth), expected, 'sign-in');
  return expected ? `user ${BARE.test(auth) ? 'by bare signature' : 'by key and signature'}` : 'user refused';
}

/** @param {string} socketId @param {string} channel @param {string} data @param {string} given */
function checkChannel(socketId, channel, data, given) {
  const channelData = data === '-' ? undefined : data;
  const signsData = channelData !== undefined && channel.startsWith('presence-');
  const right = signed([socketId, channel, ...(signsData ? [channelData] : [])].join(':'));
  const auth = given.replaceAll('$SIG', right);
  const request = { socketId, channel, channelData };
  mustEqual(signChannelAuth(key, request), `${SOURCE.key}:${right}`, 'signature of a channel');
  const expected = auth === `${SOURCE.key}:${right}`;
  mustEqual(verifyChannelAuth(key, request, auth), expected, 'admission');
  if (expected) return signsData ? 'channel with data' : 'channel';
  return auth.includes(right) ? 'channel refused by what surrounds the signature' : 'channel refused';
}
