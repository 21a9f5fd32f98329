import { prepareSigningKey, verifyCapabilityToken } from '@carillon/auth';
import { must, mustEqual } from '../broken.js';
import { claimsHold, covers, grantsOfToken } from '../restate/capability.js';
import { signed, SOURCE } from '../restate/hmac.js';
import { objectIn } from '../restate/json.js';
import { splitFields } from '../text.js';
import { words } from '../words.js';

const NOW = 1_767_225_600;
const key = prepareSigningKey(SOURCE);
const OPERATIONS = /** @type {const} */ (['subscribe', 'publish', 'presence', 'push-admin']);
const NAMES = ['room:5', 'room:*', 'private-room:1', 'other', '', '__proto__', '*', 'a*b*c'];

/**
 * Fields: header and claims as text, which are encoded here, and what follows the second dot, where `$SIG` is the right
 * signature; or one field: the whole token.
 * @type {import('../target.js').Target}
 */
export const capabilityToken = {
  name: 'capability-token',
  tokens: [
    ...words(`
    $SIG alg kid HS256 none RS256 iat exp nbf jti x-service-client-id * room:*
    x-service-capability subscribe message_update_own . = _ + /
  `),
    String(NOW),
    String(NOW + 31),
  ],
  outcomes: [
    'ok',
    'capability token is not a compact JWT',
    'capability token is not JSON',
    'capability token: alg must be HS256',
    'capability token: kid is not the key of this app',
    'capability token: signature does not match',
    'capability token: iat must be an integer',
    'capability names an unknown operation',
    'capability token is longer than 8192 bytes',
  ],
  growths: [
    { name: 'one part', piece: 'a' },
    { name: 'dots', piece: 'a.' },
    { name: 'claims', before: '{"alg":"HS256","kid":"app-key-7f3c"}␞', piece: '[', after: '␞$SIG' },
    { name: 'beyond ascii', piece: 'ä' },
  ],
  check(bytes) {
    const fields = splitFields(bytes);
    const token = fields.length === 1 ? bytes.toString('utf8') : assembled(fields);
    const verdict = verifyCapabilityToken(token, key, NOW);
    mustEqual(verdict.ok, expected(token), 'belief in the token');
    if (!verdict.ok) {
      must(verdict.reason.length > 0 && verdict.reason.length < 100, 'the reason is short');
      return verdict.reason;
    }
    checkCapabilities(verdict.token.capabilities, token);
    return 'ok';
  },
  reach(bytes) {
    const fields = splitFields(bytes);
    verifyCapabilityToken(fields.length === 1 ? bytes.toString('utf8') : assembled(fields), key, NOW);
  },
};

/** @param {readonly Buffer[]} fields */
function assembled([header = Buffer.alloc(0), claims = Buffer.alloc(0), tail = Buffer.alloc(0)]) {
  const text = `${header.toString('base64url')}.${claims.toString('base64url')}`;
  return `${text}.${tail.toString('utf8').replaceAll('$SIG', signed(text, 'base64url'))}`;
}

/** @param {string} token */
function expected(token) {
  const [header = '', claims = '', signature = '', ...more] = token.split('.');
  const isCompact =
    more.length === 0 && [header, claims, signature].every((part) => /^[A-Za-z0-9_-]+$/.test(part));
  if (!isCompact || Buffer.byteLength(token) > 8192) return false;
  if (signature !== signed(`${header}.${claims}`, 'base64url')) return false;
  const [about, said] = [header, claims].map(jsonIn);
  if (!about || !said) return false;
  if (about.get('alg') !== 'HS256' || about.get('kid') !== SOURCE.key) return false;
  const { nbf } = JSON.parse(plain(claims));
  return claimsHold(said, nbf, NOW);
}

/** @param {string} part */
const plain = (part) => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));

/** @param {string} part */
function jsonIn(part) {
  try {
    return objectIn(plain(part));
  } catch {
    return null;
  }
}

/** @param {import('@carillon/auth').Capabilities} capabilities @param {string} token */
function checkCapabilities(capabilities, token) {
  const grants = grantsOfToken(jsonIn(token.split('.')[1] ?? '')?.get('x-service-capability'));
  for (const operation of OPERATIONS) {
    for (const name of NAMES) {
      const allowed = [...(grants?.get(operation) ?? [])].some((pattern) => covers(pattern, name));
      mustEqual(capabilities.allows(operation, name), allowed, `whether ${operation} is allowed on ${name}`);
    }
  }
}
