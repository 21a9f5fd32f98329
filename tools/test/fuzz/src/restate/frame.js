// Sections 2.4, 5.1, 5.5 and 9.1 of the WebSocket page for protocol 1, said once more and differently.
import { membersOf, objectIn } from './json.js';

/** @typedef {Map<string, unknown>} Members */
/** @typedef {{ kind: string, request?: string | null, [member: string]: unknown }} Expected */

/** @param {string | null} request @param {unknown} [channel] @returns {Expected} */
const malformed = (request, channel) => ({
  kind: 'malformed',
  request,
  channel: typeof channel === 'string' ? channel : null,
});

/** What reading this text must come to. Of a client event, only its kind. @param {string} text @returns {Expected} */
export function expectedFrame(text) {
  const members = objectIn(text);
  if (members === null) return malformed(null);
  const event = members.get('event');
  if (typeof event !== 'string' || event === '') return malformed(null, members.get('channel'));
  if (event.startsWith('client-')) return { kind: 'client-event' };
  const [, name] = /^(?:pusher|service):([^]*)$/.exec(event) ?? [];
  const read = SYSTEM[name ?? ''];
  return read === undefined || !Object.hasOwn(SYSTEM, name ?? '')
    ? { kind: 'ignored' }
    : read(members.get('data'));
}

/** @type {Record<string, (data: unknown) => Expected>} */
const SYSTEM = {
  ping: () => ({ kind: 'ping' }),
  pong: () => ({ kind: 'pong' }),
  subscribe,
  unsubscribe,
  signin,
  auth: refused,
  resume: refused,
  presence_update: refused,
  channel_history: refused,
};

/** @param {unknown} data @returns {Members | null} */
const objectOf = (data) =>
  data === undefined ? new Map() : typeof data === 'string' ? objectIn(data) : membersOf(data);

/** @param {unknown} value */
const isTextOrAbsent = (value) => value === undefined || typeof value === 'string';

/** @param {unknown} data @returns {Expected} */
function subscribe(data) {
  const members = objectOf(data);
  const channel = members?.get('channel');
  if (!members || typeof channel !== 'string') return malformed('subscribe');
  const auth = members.get('auth');
  const channelData = channel.startsWith('presence-') ? members.get('channel_data') : undefined;
  if (!isTextOrAbsent(auth) || !isTextOrAbsent(channelData)) return malformed('subscribe', channel);
  return {
    kind: 'subscribe',
    channel,
    auth: auth === '' ? null : (auth ?? null),
    channelData: channelData ?? null,
    wantsRewind: members.has('rewind'),
  };
}

/** @param {unknown} data @returns {Expected} */
function unsubscribe(data) {
  if (typeof data === 'string' && data !== '' && !/^\s*\{/.test(data))
    return { kind: 'unsubscribe', channel: data };
  const channel = objectOf(data)?.get('channel');
  return typeof channel === 'string' ? { kind: 'unsubscribe', channel } : malformed('unsubscribe');
}

/** @param {unknown} data @returns {Expected} */
function signin(data) {
  const members = objectOf(data);
  if (!members) return malformed('signin');
  const auth = members.get('auth');
  const userData = members.get('user_data');
  if (!isTextOrAbsent(auth) || !isTextOrAbsent(userData)) return malformed('signin');
  return { kind: 'signin', auth: auth === '' ? null : (auth ?? null), userData: userData ?? null };
}

/** @param {unknown} data @returns {Expected} */
function refused(data) {
  const channel = objectOf(data)?.get('channel');
  return { kind: 'refused', channel: typeof channel === 'string' ? channel : null };
}
