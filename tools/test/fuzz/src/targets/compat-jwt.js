import { CompatError, proveJwt, readJwt } from '@carillon/ably-core';
import { must, mustEqual } from '../broken.js';
import { KEY, macOf, MAX_MS, NOW_MS, verdictOfJwt } from '../restate/compat-token.js';
import { splitFields } from '../text.js';
import { words } from '../words.js';

/**
 * Fields: header and claims as text, which are encoded here, and what follows the second dot, where `$SIG` is the right
 * signature; or one field: the whole token.
 * @type {import('../target.js').Target}
 */
export const compatJwt = {
  name: 'compat-jwt',
  tokens: words(`
    $SIG alg kid typ HS256 none RS256 iat exp x-ably-clientId x-ably-capability x-ably-revocation-key x-ably-token
    demo.k1 ada * . = _ + / null "" 1750000000 1750003600 1750000030 1750000031 1749999999 1750086400 1750086401
  `),
  outcomes: ['proved', 'proved, around another', 'expired', 'of another form', 'refused'],
  growths: [
    { name: 'one part', piece: 'a' },
    { name: 'dots', piece: 'a.' },
    { name: 'header', before: '{"alg":"HS256","kid":"', piece: 'a', after: '"}␞{"iat":1,"exp":2}␞$SIG' },
    { name: 'claims', before: '{"alg":"HS256","kid":"demo.k1"}␞', piece: '[', after: '␞$SIG' },
    { name: 'beyond ascii', piece: 'ä' },
  ],
  check(bytes) {
    const token = tokenOf(bytes);
    const expected = verdictOfJwt(token);
    const [code, claims, embedded] = provedBy(token);
    mustEqual(code, typeof expected === 'number' ? expected : null, 'what a token is refused with');
    if (claims === null || typeof expected === 'number')
      return code === 40_142 ? 'expired' : isForm(token) ? 'refused' : 'of another form';
    const { issuedMs, expiresMs, clientId, capabilityText, revocationKey } = claims;
    mustEqual(issuedMs, expected.iat * 1000, 'when it was issued');
    mustEqual(expiresMs, expected.exp * 1000, 'when it ends');
    mustEqual(
      JSON.stringify([clientId, capabilityText, revocationKey]),
      JSON.stringify(expected.said),
      'what it says',
    );
    must(expiresMs > NOW_MS, 'what is proved has not ended');
    return embedded === null ? 'proved' : 'proved, around another';
  },
  reach(bytes) {
    provedBy(tokenOf(bytes));
  },
};

/** @param {string} token */
const isForm = (token) => token.split('.').length === 3;

/**
 * @param {string} token
 * @returns {[code: number | null, claims: import('@carillon/ably-core').JwtClaims | null, embedded: string | null]}
 */
function provedBy(token) {
  try {
    const jwt = readJwt(token);
    return [null, proveJwt(jwt, KEY.secret, MAX_MS, NOW_MS), jwt.embedded];
  } catch (error) {
    if (!(error instanceof CompatError)) throw error;
    return [error.code, null, null];
  }
}

/** @param {Buffer} bytes */
function tokenOf(bytes) {
  const fields = splitFields(bytes);
  if (fields.length === 1) return bytes.toString('utf8');
  const [header = Buffer.alloc(0), claims = Buffer.alloc(0), tail = Buffer.alloc(0)] = fields;
  const text = `${header.toString('base64url')}.${claims.toString('base64url')}`;
  return `${text}.${tail.toString('utf8').replaceAll('$SIG', () => macOf(text, 'base64url'))}`;
}
