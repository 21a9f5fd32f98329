import { Capability, CompatError, proveTokenRequest } from '@carillon/ably-core';
import { must, mustEqual } from '../broken.js';
import { complaintsOf, KEY, linesOf, macOf, MAX_MS, NOW_MS } from '../restate/compat-token.js';
import { membersOf } from '../restate/json.js';
import { textOf } from '../text.js';
import { words } from '../words.js';

const SKEW_MS = 900_000;
const RULES = { maxTtlMs: MAX_MS, skewMs: SKEW_MS };
const OWN = Capability.parse('{"chat:*":["publish","subscribe","history"],"orders":["*"]}');
const KEY_OF_PAGES = { ...KEY, capability: OWN, problem: null };
const NAMES = ['chat:1', 'chat:', 'orders', 'other', '*', '__proto__'];
const OPERATIONS = ['publish', 'subscribe', 'presence', 'push-admin'];
const MAC = '$MAC';

/**
 * The body of a request for a token as JSON; where its mac is `$MAC`, it is the right one.
 * @type {import('../target.js').Target}
 */
export const compatTokenRequest = {
  name: 'compat-token-request',
  tokens: words(`
    $MAC keyName ttl capability clientId timestamp nonce mac demo.k1 ada * "" null 3600000 "3600000" 0 1 86400000 86400001
    1750000000000 1750000900000 1750000900001 1749999100000 1749999099999 -0 1.5 1e3 1e15 \\u0000 \\ud800 [] {}
    {\\"chat:*\\":[\\"publish\\"]} {\\"*\\":[\\"*\\"]} {\\"other\\":[\\"publish\\"]} n0nce-0001-abcdef
  `),
  outcomes: ['granted', 'of no form', '40000', '40012', '40101', '40104', '40160'],
  growths: [
    { name: 'nesting', before: '{"mac":', piece: '[' },
    { name: 'nonce', before: '{"mac":"$MAC","timestamp":1750000000000,"nonce":"', piece: 'a', after: '"}' },
    {
      name: 'client',
      before: '{"mac":"$MAC","timestamp":1750000000000,"nonce":"n","clientId":"',
      piece: 'ä',
      after: '"}',
    },
    {
      name: 'capability',
      before: '{"mac":"$MAC","timestamp":1750000000000,"nonce":"n","capability":"{\\"a\\":[\\"*\\"]',
      piece: ',\\"b*\\":[\\"publish\\"]',
      after: '}"}',
    },
    { name: 'digits', before: '{"mac":"$MAC","nonce":"n","timestamp":"', piece: '1', after: '"}' },
  ],
  check(bytes) {
    const body = bodyOf(bytes);
    if (body === null) return 'of no form';
    const members = /** @type {Map<string, unknown>} */ (membersOf(body));
    const complaints = complaintsOf(members);
    const [code, granted] = grantOf(body);
    if (complaints.size > 0) {
      // Which of several is told first is nobody's concern; a capability may be one more.
      must(complaints.has(code) || code === 40_000, `refused for a reason it has, not with ${code}`);
      return String(code);
    }
    if (code === 40_000) {
      must(!isCapability(members.get('capability')), 'only the capability can still be malformed');
      return '40000';
    }
    const isCurrent = Math.abs(Number(members.get('timestamp')) - NOW_MS) <= SKEW_MS;
    mustEqual(code === 40_104, !isCurrent, 'whether it is refused as not current');
    if (!isCurrent) return '40104';
    const lines = linesOf(new Map([...members, ['keyName', KEY.name]]));
    const isSigned = members.get('mac') === macOf(lines, 'base64');
    mustEqual(code === 40_101, !isSigned, 'whether it is refused as signed by another');
    if (!isSigned) return '40101';
    if (granted === null) {
      mustEqual(code, 40_160, 'what is left to refuse it with');
      return '40160';
    }
    checkGranted(granted, members);
    return 'granted';
  },
  reach(bytes) {
    const body = bodyOf(bytes);
    if (body !== null) grantOf(body);
  },
};

/** Null: not a JSON object. @param {Buffer} bytes @returns {import('@carillon/ably-core').JsonObject | null} */
function bodyOf(bytes) {
  let body;
  try {
    body = JSON.parse(textOf(bytes));
  } catch {
    return null;
  }
  const members = membersOf(body);
  if (members === null) return null;
  if (members.get('mac') !== MAC) return body;
  return { ...body, mac: macOf(linesOf(new Map([...members, ['keyName', KEY.name]])), 'base64') };
}

/**
 * @param {import('@carillon/ably-core').JsonObject} body
 * @returns {[code: number | null, granted: import('@carillon/ably-core').ProvedRequest | null]}
 */
function grantOf(body) {
  try {
    return [null, proveTokenRequest(body, KEY_OF_PAGES, RULES, NOW_MS)];
  } catch (error) {
    if (!(error instanceof CompatError)) throw error;
    return [error.code, null];
  }
}

/** @param {unknown} value */
function isCapability(value) {
  if (value === undefined || value === '') return true;
  if (typeof value !== 'string') return false;
  try {
    Capability.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** @param {import('@carillon/ably-core').ProvedRequest} granted @param {ReadonlyMap<string, unknown>} asked */
function checkGranted(granted, asked) {
  mustEqual(granted.ttlMs, Number(asked.get('ttl') ?? 3_600_000), 'how long it lives');
  mustEqual(granted.clientId, asked.get('clientId') ?? null, 'whose it is');
  mustEqual(granted.nonce, asked.get('nonce'), 'its nonce');
  const got = Capability.parse(granted.capability);
  const wanted = asked.get('capability') ? Capability.parse(String(asked.get('capability'))) : OWN;
  must(!got.isEmpty, 'a token grants something');
  for (const name of NAMES)
    for (const operation of OPERATIONS)
      if (got.allows(operation, name))
        must(
          OWN.allows(operation, name) && wanted.allows(operation, name),
          `${operation} on ${name} was granted`,
        );
}
