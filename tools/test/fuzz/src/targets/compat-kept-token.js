import {
  Capability,
  CompatError,
  concerns,
  readRevocation,
  readTokenRecord,
  revocationOf,
} from '@carillon/ably-core';
import { must, mustEqual } from '../broken.js';
import { NOW_MS } from '../restate/compat-token.js';
import { membersOf, objectIn } from '../restate/json.js';
import { fieldsOf } from '../text.js';
import { words } from '../words.js';

const TYPES = ['clientId', 'revocationKey', 'channel'];
const TOKENS = [
  { issuedMs: NOW_MS - 1, clientId: 'ada', revocationKey: null, text: '{"chat:*":["publish"]}' },
  { issuedMs: NOW_MS + 2000, clientId: 'ada', revocationKey: 'group-7', text: '{"*":["*"]}' },
  { issuedMs: 0, clientId: null, revocationKey: 'group-7', text: '{"orders":["history"]}' },
].map(({ text, ...token }) => ({ ...token, keyName: 'demo.k1', capability: Capability.parse(text) }));

/**
 * Fields: what is remembered of a token, and what is asked to be revoked.
 * @type {import('../target.js').Target}
 */
export const compatKeptToken = {
  name: 'compat-kept-token',
  tokens: words(`
    appId keyName clientId issuedMs expiresMs capability rotationId null "" ada demo.k1 1.5 -1 1e99
    targets issuedBefore allowReauthMargin true false "clientId:ada" "revocationKey:group-7" "channel:orders" "user:x" : [] {}
    1750000000000 1750000000001 1750000001000 1750000001001 1749996400000 1749996399999 ␞
  `),
  outcomes: [
    'a token, revoked',
    'a token, nothing asked',
    'no token, revoked',
    'no token, nothing asked',
    'revokes nobody',
  ],
  growths: [
    { name: 'record', before: '{"appId":"', piece: 'a', after: '"}␞' },
    { name: 'nesting', piece: '[' },
    { name: 'targets', before: '␞{"targets":["a"', piece: ',"a"', after: ']}' },
    { name: 'one target', before: '␞{"targets":["channel:', piece: '*', after: '"]}' },
    { name: 'colons', before: '␞{"targets":["', piece: ':', after: '"]}' },
  ],
  check(bytes) {
    const [kept = '', asked = ''] = fieldsOf(bytes, 2);
    const record = readTokenRecord(kept);
    mustEqual(record !== null, isRecord(kept), 'whether it is a token');
    const body = jsonOf(asked);
    const [request, revoked] = revocationsIn(body);
    mustEqual(request !== null, isRequest(body), 'whether something is asked');
    if (request !== null && revoked.length === 0) return 'revokes nobody';
    return `${record === null ? 'no token' : 'a token'}, ${request === null ? 'nothing asked' : 'revoked'}`;
  },
  reach(bytes) {
    const [kept = '', asked = ''] = fieldsOf(bytes, 2);
    readTokenRecord(kept);
    revocationsIn(jsonOf(asked));
  },
};

/** Undefined: no JSON. @param {string} text @returns {unknown} */
function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is asked, and whom it concerns of those that are known. @param {unknown} body */
function revocationsIn(body) {
  let request;
  try {
    request = readRevocation(body, NOW_MS);
  } catch (error) {
    if (!(error instanceof CompatError)) throw error;
    mustEqual(error.code, 40_000, 'code of what is not asked');
    return /** @type {const} */ ([null, []]);
  }
  const { targets, issuedBefore, appliesAt } = request;
  must(appliesAt === NOW_MS || appliesAt === NOW_MS + 30_001, 'it applies now, or after the margin');
  const revoked = targets.flatMap((target) => {
    const revocation = revocationOf(target, request);
    const value = target.slice(target.indexOf(':') + 1);
    const isKnown = TYPES.some((type) => target.startsWith(`${type}:`));
    const fits = isKnown && value !== '' && Buffer.byteLength(value) <= 256;
    mustEqual(revocation !== null, fits, 'whether the target is known');
    if (revocation === null) return [];
    return TOKENS.filter((token) => {
      const is = concerns(revocation, token);
      mustEqual(is, token.issuedMs < issuedBefore && isMeant(target, token), 'whether the token is meant');
      return is;
    });
  });
  return /** @type {const} */ ([request, revoked]);
}

/** @param {string} target @param {(typeof TOKENS)[number]} token */
function isMeant(target, { clientId, revocationKey, capability }) {
  if (target === `clientId:${clientId}` && clientId !== null) return true;
  if (target === `revocationKey:${revocationKey}` && revocationKey !== null) return true;
  if (!target.startsWith('channel:')) return false;
  const operations = ['publish', 'history', 'push-admin'];
  return operations.some((one) => capability.allows(one, target.slice('channel:'.length)));
}

/** @param {string} text */
function isRecord(text) {
  const members = objectIn(text);
  if (members === null) return false;
  const texts = ['appId', 'keyName', 'capability', 'rotationId'].map((name) => members.get(name));
  const times = ['issuedMs', 'expiresMs'].map((name) => members.get(name));
  const clientId = JSON.parse(text).clientId;
  return (
    texts.every((one) => typeof one === 'string') &&
    times.every((one) => Number.isSafeInteger(one)) &&
    (clientId === null || typeof clientId === 'string')
  );
}

/** @param {unknown} body */
function isRequest(body) {
  // What is null is not there.
  const said = membersOf(body) === null ? [] : Object.entries(/** @type {object} */ (body));
  const members = new Map(said);
  const targets = members.get('targets');
  if (!Array.isArray(targets) || targets.length < 1 || targets.length > 100) return false;
  if (!targets.every((one) => typeof one === 'string')) return false;
  const before = members.get('issuedBefore') ?? NOW_MS;
  const isTime = Number.isSafeInteger(before) && before >= NOW_MS - 3_600_000 && before <= NOW_MS + 1000;
  return isTime && typeof (members.get('allowReauthMargin') ?? false) === 'boolean';
}
